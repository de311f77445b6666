import path from "node:path";
import { z } from "zod";
import { digestSchema } from "../../core/names.ts";
import { resourceIdSchema, resourceSchema } from "../../core/resource.ts";
import { readStateFile, writeStateFile } from "./state-file.ts";

const appliedSchema = z.object({
  schema: z.literal(1),
  /** Digest of the content that an apply was begun for. */
  content: digestSchema,
  /** False: an apply has begun and not ended. What was left half is reported as half (R44). */
  finished: z.boolean(),
  /** Everything that may be there: what is not wanted any more is removed by these. */
  resources: z.array(
    z.object({
      resource: resourceSchema,
      /** It was read back as wanted, just so: what differs later is drift. */
      applied: z.boolean(),
    }),
  ),
  /**
   * Grants that were removed, by id, the newest last: nothing is granted there, until one is wanted again. The controller
   * has withdrawals that only this confirms (R20). Absent in files of earlier hosts, which leave it out again.
   */
  withdrawn: z.array(resourceIdSchema).default([]),
});
type AppliedFile = z.infer<typeof appliedSchema>;
export type Applied = Omit<AppliedFile, "schema">;
export type TrackedResource = Applied["resources"][number];

export async function readApplied(stateFolder: string): Promise<Applied | null> {
  return readStateFile(appliedFile(stateFolder), appliedSchema);
}

/** Written before resources are touched, so that a kill loses track of nothing. */
export async function writeApplied(stateFolder: string, applied: Applied): Promise<void> {
  await writeStateFile(appliedFile(stateFolder), { schema: 1, ...applied });
}

function appliedFile(stateFolder: string): string {
  return path.join(stateFolder, "applied.json");
}
