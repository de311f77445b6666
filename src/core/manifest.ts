import { z } from "zod";
import { nameSchema } from "./names.ts";
import { configKeyPattern } from "./placeholder.ts";

/** What a provider can make for a consumer. One host provider per kind. */
export const provisionKindSchema = z.enum(["postgresql", "rabbitmq"]);
export type ProvisionKind = z.infer<typeof provisionKindSchema>;

export const languageSchema = z.enum(["typescript", "go", "python", "rust", "files"]);
export type Language = z.infer<typeof languageSchema>;

/** Who declares a fit artifact (R14). `plan` is refused until rollouts exist. */
export const upgradePolicySchema = z.enum(["record", "auto"]);
export type UpgradePolicy = z.infer<typeof upgradePolicySchema>;

/** An instantiation edge (R3): that thing makes something for me and hands back credentials. */
export const requirementSchema = z.strictObject({
  /** What the consumer calls it; the key in its provisions file. */
  name: nameSchema,
  kind: provisionKindSchema,
  scope: z.enum(["node", "mesh"]).default("mesh"),
});
export type Requirement = z.infer<typeof requirementSchema>;

/** A presence edge (R2): this module's service must be up on the same node before mine starts. */
export const presenceSchema = z.strictObject({
  module: nameSchema,
  /** Past this bound the waiting service is *un-ready* and says what it waits for. */
  withinSeconds: z.number().int().min(1).max(3600).default(60),
});
export type Presence = z.infer<typeof presenceSchema>;

/** Text may hold `${config.KEY}`, `${data}` (the module's data folder) and `${artifact}` (its files). */
const templateSchema = z.string().max(4096);

export const healthSchema = z.strictObject({
  /** Answers 2xx when healthy. */
  http: templateSchema.optional(),
  /** `host:port` that accepts a connection when healthy. */
  tcp: templateSchema.optional(),
  withinSeconds: z.number().int().min(1).max(600).default(20),
});

export const serviceManifestSchema = z.strictObject({
  command: z.array(templateSchema).min(1).max(64),
  env: z.record(z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/), templateSchema).default({}),
  health: healthSchema.optional(),
});

export const manifestFileSchema = z.strictObject({
  /** Relative to the module's own folder of settings on the node. */
  path: z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9_][A-Za-z0-9._-]*(\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/),
  mode: z
    .string()
    .regex(/^[0-7]{3}$/)
    .default("644"),
  text: z.string().max(65536),
});

/**
 * How a provider module is reached. `host` and `port` are what consumers connect to; `admin*` are used by
 * the provider on its own node only. Values may use `${config.KEY}`, `${data}` and `${node.address}`.
 */
export const providesSchema = z.strictObject({
  kind: provisionKindSchema,
  host: templateSchema.default("${node.address}"),
  port: templateSchema,
  /** RabbitMQ: the management API's URL. PostgreSQL: `host:port` for administration. */
  admin: templateSchema,
  adminUser: templateSchema,
  /** A file on the provider's node that holds the administrator's password. It never leaves that node. */
  adminPasswordFile: templateSchema,
});
export type Provides = z.infer<typeof providesSchema>;

/** `mesh.yaml` in the module's folder. Build edges are not here: they are read from the imports (R4). */
export const manifestSchema = z.strictObject({
  module: nameSchema,
  language: languageSchema,
  upgrade: upgradePolicySchema.default("record"),
  requires: z.array(requirementSchema).max(32).default([]),
  presence: z.array(presenceSchema).max(32).default([]),
  provides: z.array(providesSchema).max(4).default([]),
  service: serviceManifestSchema.optional(),
  files: z.array(manifestFileSchema).max(64).default([]),
  /** Defaults for `${config.KEY}`; an assignment overrides them. A key without default must be assigned. */
  config: z.record(z.string().regex(configKeyPattern), z.string().max(4096)).default({}),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** Keys by which people try to declare build edges; each is refused with the reason (R4). */
export const buildEdgeKeys = ["dependencies", "buildDependencies", "build", "imports", "dependsOn", "needs"] as const;
