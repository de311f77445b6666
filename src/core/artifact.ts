import { z } from "zod";
import { digestSchema, nameSchema, objectIdSchema } from "./names.ts";

/**
 * What an artifact was built from (R8). Digested as canonical JSON: that digest is the build's *inputs*.
 * The commit is deliberately not part of it: a commit that leaves the tree the same changes nothing.
 */
export const closureSchema = z.strictObject({
  module: nameSchema,
  language: z.string(),
  /** Git tree id of the folder under the module's path. */
  tree: objectIdSchema,
  /** Build and test edges: the artifact digest of each module it is built against. */
  dependencies: z.record(nameSchema, digestSchema),
  /** Compiler and runtime, e.g. `node 20.20.2, typescript 7.0.2`. */
  toolchain: z.string(),
  /** Version of the builder's own rules; raised by hand when they change what comes out. */
  builder: z.string(),
  /** Digest of the third-party packages that the lock file resolves for this module; null: it has none. */
  thirdParties: digestSchema.nullable().default(null),
  /** Settings of the mesh that reach the build, by name. */
  settings: z.record(z.string(), z.string()).default({}),
});
export type Closure = z.infer<typeof closureSchema>;

/** Classes of environment failure: nobody could judge (R11). */
export const outstandingClassSchema = z.enum([
  "disk",
  "memory",
  "limit",
  "registry",
  "source",
  "sandbox",
  "lost-worker",
  "artifact-store",
  /** The language's own tools are not on the machine that builds. */
  "toolchain",
  /** It needs the next version of another module, which is not there yet. */
  "dependency",
]);
export type OutstandingClass = z.infer<typeof outstandingClassSchema>;

export const verdictSchema = z.discriminatedUnion("verdict", [
  z.strictObject({ verdict: z.literal("fit"), artifact: digestSchema }),
  z.strictObject({
    verdict: z.literal("unfit"),
    stage: z.enum(["compile", "test", "manifest", "import"]),
    message: z.string(),
  }),
  z.strictObject({ verdict: z.literal("outstanding"), class: outstandingClassSchema, message: z.string() }),
]);
export type Verdict = z.infer<typeof verdictSchema>;

/** What was packed. `digest` names content (sorted file list), `blob` names the bytes that travel. */
export const artifactSchema = z.strictObject({
  module: nameSchema,
  digest: digestSchema,
  blob: digestSchema,
  blobBytes: z.number().int().nonnegative(),
  files: z.number().int().nonnegative(),
});
export type Artifact = z.infer<typeof artifactSchema>;

/** One (module, inputs) as recorded: at most one verdict that counts (R9). */
export const buildSchema = z.strictObject({
  module: nameSchema,
  inputs: digestSchema,
  closure: closureSchema,
  commit: objectIdSchema,
  state: z.enum(["building", "fit", "unfit", "outstanding"]),
  artifact: artifactSchema.nullable(),
  message: z.string(),
});
export type Build = z.infer<typeof buildSchema>;
