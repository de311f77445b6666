import { z } from "zod";
import { provisionKindSchema } from "./manifest.ts";
import { digestSchema, nameSchema } from "./names.ts";

/** `<kind>/<module>/<what>`: stable across declarations, the unit of reports (R32, R43). */
export const resourceIdSchema = z
  .string()
  .regex(/^[a-z]+(\/[A-Za-z0-9_][A-Za-z0-9._-]*)+$/)
  .max(300);

/** Relative to the host's root folder. Made by the controller from ids, checked again by the host. */
export const nodePathSchema = z
  .string()
  .max(400)
  .regex(/^[A-Za-z0-9_][A-Za-z0-9._-]*(\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/);

const base = {
  id: resourceIdSchema,
  /** The module on whose behalf it is here. */
  module: nameSchema,
  /** Ids of resources that come first. */
  after: z.array(resourceIdSchema).max(200),
};

/** Which credentials, never the credentials (R29, R46): the sealed boxes travel beside the content. */
export const provisionReferenceSchema = z.strictObject({
  /** The consumer's word for it. */
  requirement: nameSchema,
  provision: z.string().max(400),
  version: z.number().int().positive(),
  kind: provisionKindSchema,
  host: z.string(),
  port: z.number().int().min(1).max(65535),
  /** Database or vhost; also the user's name. */
  name: z.string().regex(/^[a-z][a-z0-9_]{0,62}$/),
});
export type ProvisionReference = z.infer<typeof provisionReferenceSchema>;

export const directoryResourceSchema = z.strictObject({
  ...base,
  kind: z.literal("directory"),
  path: nodePathSchema,
  mode: z.string().regex(/^[0-7]{3}$/),
  /** `service`: owned by the user that services run as. */
  owner: z.enum(["host", "service"]),
});

export const fileResourceSchema = z.strictObject({
  ...base,
  kind: z.literal("file"),
  path: nodePathSchema,
  mode: z.string().regex(/^[0-7]{3}$/),
  owner: z.enum(["host", "service"]),
  content: z.discriminatedUnion("from", [
    z.strictObject({ from: z.literal("text"), text: z.string().max(65536) }),
    /** JSON `{<requirement>: {kind, host, port, name, user, password, url}}`, written by the host after opening. */
    z.strictObject({ from: z.literal("provisions"), references: z.array(provisionReferenceSchema).max(32) }),
  ]),
});

export const artifactResourceSchema = z.strictObject({
  ...base,
  kind: z.literal("artifact"),
  digest: digestSchema,
  blob: digestSchema,
  blobBytes: z.number().int().nonnegative(),
});

export const serviceResourceSchema = z.strictObject({
  ...base,
  kind: z.literal("service"),
  /** Digest of the artifact it runs; a new one restarts it. */
  artifact: digestSchema,
  /** Words may hold `${data}`, `${artifact}` and `${etc}`; the host fills them in. */
  command: z.array(z.string()).min(1),
  env: z.record(z.string(), z.string()),
  /** Path of its provisions file, when it has requirements; given to it as MESH_PROVISIONS. */
  provisions: nodePathSchema.optional(),
  /** Versions of provisions and digest of files it reads: a change restarts it. */
  restartOn: z.array(z.string()),
  health: z
    .strictObject({ http: z.string().optional(), tcp: z.string().optional(), withinSeconds: z.number().int() })
    .optional(),
  /** Services on this node that must be up before it starts (R2). */
  presence: z.array(z.strictObject({ service: resourceIdSchema, withinSeconds: z.number().int() })),
});

export const endpointSchema = z.strictObject({ host: z.string().max(253), port: z.number().int().min(1).max(65535) });
export type Endpoint = z.infer<typeof endpointSchema>;

export const grantEntrySchema = z.strictObject({
  provision: z.string().max(400),
  version: z.number().int().positive(),
  consumer: z.strictObject({ node: nameSchema, module: nameSchema, requirement: nameSchema }),
  name: z.string().regex(/^[a-z][a-z0-9_]{0,62}$/),
});
export type GrantEntry = z.infer<typeof grantEntrySchema>;

/** A provider's grant list (R17): what is not on it has its access withdrawn, its data kept (R20). */
export const grantResourceSchema = z.strictObject({
  ...base,
  kind: z.literal("grant"),
  provider: provisionKindSchema,
  /** What consumers connect to. A change of it moves their declarations too. */
  endpoint: endpointSchema,
  admin: z.string(),
  adminUser: z.string(),
  adminPasswordFile: z.string(),
  grants: z.array(grantEntrySchema).max(10000),
});

export const resourceSchema = z.discriminatedUnion("kind", [
  directoryResourceSchema,
  fileResourceSchema,
  artifactResourceSchema,
  serviceResourceSchema,
  grantResourceSchema,
]);
export type Resource = z.infer<typeof resourceSchema>;
export type ResourceKind = Resource["kind"];
export type ResourceOf<K extends ResourceKind> = Extract<Resource, { kind: K }>;
