import path from "node:path";
import { z } from "zod";
import type { Order } from "../../core/declaration.ts";
import { refusalSchema, type Refusal, type RefusalCheck } from "../../core/report.ts";
import { cutText } from "../describe-failure.ts";
import { readOrSetAside, type OnDamaged } from "./set-aside.ts";
import { writeStateFile } from "./state-file.ts";

const refusalsSchema = z.object({ schema: z.literal(1), refusals: z.array(refusalSchema) });

/** As many as a report may hold. */
const kindsLimit = 50;

/** What was refused, by which check. It is all the trace that a refused document leaves (R38). */
export interface NewRefusal {
  readonly check: RefusalCheck;
  readonly message: string;
  readonly offered: Order | null;
}

/** The list with one more, pure: the same kind is counted, the longest unseen makes room. Newest first. */
export function countRefusal(refusals: readonly Refusal[], refused: NewRefusal, at: Date): readonly Refusal[] {
  const isSame = (other: Refusal): boolean =>
    other.check === refused.check &&
    other.offered?.epoch === refused.offered?.epoch &&
    other.offered?.number === refused.offered?.number;
  const count = (refusals.find(isSame)?.count ?? 0) + 1;
  const counted = { ...refused, message: cutText(refused.message, 500), count, at: at.toISOString() };
  return [counted, ...refusals.filter((other) => !isSame(other))].slice(0, kindsLimit);
}

/** None, and said, where the file is damaged: it is a count of what was refused, and refuses nothing itself. */
export async function readRefusals(stateFolder: string, onDamaged: OnDamaged): Promise<readonly Refusal[]> {
  return (await readOrSetAside(refusalsFile(stateFolder), refusalsSchema, onDamaged))?.refusals ?? [];
}

export async function writeRefusals(stateFolder: string, refusals: readonly Refusal[]): Promise<void> {
  await writeStateFile(refusalsFile(stateFolder), { schema: 1, refusals });
}

function refusalsFile(stateFolder: string): string {
  return path.join(stateFolder, "refusals.json");
}
