import { z } from "zod";
import { digestSchema, nameSchema, timestampSchema } from "./names.ts";
import { orderSchema } from "./declaration.ts";
import { resourceIdSchema } from "./resource.ts";
import { tightDiskSchema } from "./tight-disk.ts";

/** As `found` of a drift: it was there, as wanted, and is gone. */
export const nothingThere = "nothing there";

/** What the host read back of one resource; `applied` only when the read back matches (R43). */
export const resourceReportSchema = z.object({
  id: resourceIdSchema,
  state: z.enum(["applied", "failed", "waiting", "un-ready"]),
  /** What was read, or what went wrong, or what it waits for. Never a secret. */
  message: z.string().max(2000),
  /** Found different on this pass and mended: both values said (R44). */
  drift: z.strictObject({ wanted: z.string().max(500), found: z.string().max(500) }).optional(),
  /** Grants: ids of provisions that are really there, with their version. */
  provisions: z.array(z.strictObject({ provision: z.string(), version: z.number().int().positive() })).optional(),
});
export type ResourceReport = z.infer<typeof resourceReportSchema>;

/** Which check refused a declaration. */
export const refusalCheckSchema = z.enum([
  "envelope",
  "signature",
  "key",
  "mesh",
  "node",
  "incarnation",
  "schema",
  "digest",
  "older",
  "jump",
  "same-number-other-digest",
  "size",
  "seal",
  // A root document that was to replace the one this host goes by.
  "root",
]);
export type RefusalCheck = z.infer<typeof refusalCheckSchema>;

export const refusalSchema = z.strictObject({
  check: refusalCheckSchema,
  message: z.string().max(500),
  /** What was refused, where it could be read. */
  offered: orderSchema.nullable(),
  count: z.number().int().positive(),
  at: timestampSchema,
});
export type Refusal = z.infer<typeof refusalSchema>;

/** A report's place in its host's order (R38). */
export const reportPlaceSchema = z.object({
  has: orderSchema.nullable(),
  boot: z.number().int().nonnegative(),
  sequence: z.number().int().positive(),
});
export type ReportPlace = z.infer<typeof reportPlaceSchema>;

/** A host that has nothing new to say says so, this often. */
export const heartbeatMs = 60_000;

/** One report of one host, ordered by (epoch, number, boot, sequence) (R38). */
export const reportSchema = z.object({
  schema: z.literal(1),
  mesh: nameSchema,
  node: nameSchema,
  incarnation: z.string(),
  /** What the host has accepted; null before its first declaration. */
  has: orderSchema.nullable(),
  /** Digest of the content it has accepted. */
  digest: digestSchema.nullable(),
  /** Rises with every start of the host on this machine, kept on disk. */
  boot: z.number().int().nonnegative(),
  bootId: z.string().max(100),
  sequence: z.number().int().positive(),
  /** This start could not be written down: its number is that of the start before it. */
  unwritten: z.literal(true).optional(),
  /** What the controller said to be kept, when it refused this start's report as older: this one was made after that. */
  behind: reportPlaceSchema.optional(),
  /** Nothing is new since the report of this start with that number: a heartbeat, which no look is behind. */
  repeats: z.number().int().positive().optional(),
  /**
   * How long before this was made all of what it has was last read back, and how often that is done. Null: not since it was
   * accepted or the host started. Left out: a host of before, which does not say.
   */
  readBack: z
    .object({ agoMs: z.number().int().nonnegative().nullable(), everyMs: z.number().int().positive() })
    .optional(),
  /** By the host's clock, as the times of refusals: no order is decided by it. */
  at: timestampSchema,
  /** Last time the controller answered this host. */
  lastWordAt: timestampSchema.nullable(),
  /** `applied`: every resource read back as wanted. `half`: an apply has not ended. */
  outcome: z.enum(["none", "half", "applied", "failed", "un-ready"]),
  /** As many as a declaration may hold, as many that are removed for it, 100 removed grants, and the host's own state. */
  resources: z.array(resourceReportSchema).max(10_110),
  refusals: z.array(refusalSchema).max(50),
  /** Disks of its machine with little or no room. Left out: none, or a host of before, which does not say. */
  disks: z.array(tightDiskSchema).max(8).optional(),
  /** Reports of this start that the controller answered it cannot read, and the last reason. Left out: none. */
  unread: z.object({ count: z.number().int().positive(), why: z.string().max(500) }).optional(),
});
export type Report = z.infer<typeof reportSchema>;

/** Of a host that does not speak ordering (R37): what it has is said by the digest alone. */
export const unorderedReportSchema = reportSchema.omit({
  has: true,
  boot: true,
  bootId: true,
  sequence: true,
  unwritten: true,
  behind: true,
  repeats: true,
  readBack: true,
});
export type UnorderedReport = z.infer<typeof unorderedReportSchema>;
