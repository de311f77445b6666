import { z } from "zod";
import { nameSchema, objectIdSchema } from "./names.ts";

/**
 * What a module's facts were read from: while all of it is the same, so are they, and nothing is read again. Kept with
 * the facts in the records, so that a new process knows it too.
 */
export const knownSourceSchema = z.strictObject({
  commit: objectIdSchema,
  /** Git's id of the folder, with everything in it. */
  folder: objectIdSchema,
  /** Folder, place, readers: the facts that are the module's own. */
  sourceKey: z.string(),
  /** Which module publishes which name, and where every module lies. */
  namesKey: z.string(),
  /** Null: its manifest cannot be read, nor could it before, or nobody reads its language. */
  language: z.string().nullable(),
  /** What counts for others: of one that cannot be read any more the names that it had. */
  publishes: z.array(z.string()),
  /** Of its fact files, lock files left out. */
  factsKey: z.string(),
  /** Modules whose fact files were asked for while its imports were resolved, with the key of those. */
  uses: z.record(nameSchema, z.string()),
});
export type KnownSource = z.infer<typeof knownSourceSchema>;
