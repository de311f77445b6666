import path from "node:path";
import { z } from "zod";
import { orderSchema } from "../../core/declaration.ts";
import { digestSchema } from "../../core/names.ts";
import type { Mark } from "../../decide/accept-declaration.ts";
import { readStateFile, writeStateFile } from "./state-file.ts";

/** The newest declaration this host has accepted: what is older is refused from here on (R38). */
const markSchema = z.object({
  schema: z.literal(1),
  order: orderSchema,
  digest: digestSchema,
  incarnation: z.string(),
});

/** Null before the first declaration. Throws InputError when damaged: nothing may be accepted without a mark. */
export async function readMark(stateFolder: string): Promise<Mark | null> {
  const mark = await readStateFile(markFile(stateFolder), markSchema);
  return mark === null ? null : { order: mark.order, digest: mark.digest, incarnation: mark.incarnation };
}

/** On disk before anything is applied: a lower one stays refused, also after a power cut. */
export async function writeMark(stateFolder: string, { order, digest, incarnation }: Mark): Promise<void> {
  await writeStateFile(markFile(stateFolder), { schema: 1, order, digest, incarnation });
}

function markFile(stateFolder: string): string {
  return path.join(stateFolder, "mark.json");
}
