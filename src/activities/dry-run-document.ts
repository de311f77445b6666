import { z } from "zod";
import { nameSchema, objectIdSchema } from "../core/names.ts";

const told = { module: nameSchema, why: z.string() };

/** What `mesh build --dry-run` found. `mayRebuild` is the most that may be: early cutoff makes it less (R10). */
export const dryRunDocumentSchema = z.object({
  dryRun: z.literal(true),
  /** In build order. */
  mayRebuild: z.array(z.object(told)).readonly(),
  failing: z.array(z.object({ ...told, kind: z.enum(["broken", "unfit"]) })).readonly(),
  /** Their sources do not answer, or what they import lies in one that does not. */
  cannotTell: z.array(z.object(told)).readonly(),
  /** Not built now: nobody could judge it, and it is tried again at `retryAt` (ISO), or something it waits for is. */
  later: z.array(z.object({ ...told, retryAt: z.string().nullable() })).readonly(),
  modules: z.number().int().min(0),
  sources: z
    .array(
      z.object({
        repository: nameSchema,
        branch: z.string(),
        commit: objectIdSchema.nullable(),
        /** Why it was not seen; null: it was. */
        failure: z.string().nullable(),
      }),
    )
    .readonly(),
  /** Modules that were read, and files that were parsed or known: the rest is as it was recorded. */
  readModules: z.number().int().min(0),
  parsedFiles: z.number().int().min(0),
  cachedFiles: z.number().int().min(0),
  /** Who worked it out. */
  answeredBy: z.enum(["controller", "this process"]),
});
export type DryRunDocument = Readonly<z.infer<typeof dryRunDocumentSchema>>;
