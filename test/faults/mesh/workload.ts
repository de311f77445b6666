import { z } from "zod";
import { program } from "../../beds/support/run-mesh.ts";
import { waitFor } from "../../beds/support/wait-for.ts";
import type { FaultBed } from "./bed.ts";
import { startManaged } from "./managed-process.ts";

/** A push that a person started and waits for, as a process of its own. */
export interface PushUnderWay {
  readonly id: string;
  /** Ends when the command does; what it said is kept with the other answers. */
  readonly answered: Promise<{ readonly code: number }>;
}

const documentSchema = z.object({
  push: z.string(),
  outcome: z.string(),
  nodes: z.array(
    z.object({ node: z.string(), outcome: z.string(), effect: z.string(), pending: z.boolean().optional() }),
  ),
});

let edits = 0;

/** A new value for the one file of node-c: a push of it tells node-c and nobody else. */
export async function editSite(bed: FaultBed, node = "node-c"): Promise<void> {
  edits += 1;
  await bed.ask("assign", node, "site", "--set", `value=edit-${edits}-${Date.now().toString(36)}`);
}

/** `shop` comes to node-a or leaves it: a push of node-a tells node-b in round 1, where its database is. */
export async function moveShop(bed: FaultBed): Promise<void> {
  const [there] = await bed.read("select 1 from assignment where node = 'node-a' and module = 'shop'");
  if (there === undefined) await bed.ask("assign", "node-a", "shop");
  else await bed.ask("unassign", "node-a", "shop");
}

let pushes = 0;

/** Starts `mesh push` and answers as soon as the push has its id; its row may not be there yet. */
export async function startPush(bed: FaultBed, ...nodes: string[]): Promise<PushUnderWay> {
  pushes += 1;
  const managed = startManaged({
    name: "mesh push",
    args: [program, "push", ...nodes, "--confirm-removal", "--timeout", "170", "--json", "--state", bed.state],
    logFile: `${bed.folder}/push-${pushes}.log`,
  });
  const said = /^push (\S+) is under way/m;
  await managed.hears("is under way", 60_000);
  const id = said.exec(managed.text())?.[1];
  if (id === undefined) throw new Error(`mesh push names no push: ${managed.text()}`);
  const answered = managed.ended.then((how) => {
    const code = Number(/^code (\d+)$/.exec(how)?.[1] ?? Number.NaN);
    const text = managed.text();
    bed.said.push({ code, stdout: text, stderr: "" });
    const at = text.indexOf("\n{");
    const parsed = documentSchema.safeParse(at === -1 ? null : readJson(text.slice(at)));
    const document = parsed.success ? parsed.data : null;
    bed.answers.push({
      push: document?.push ?? null,
      code,
      outcome: document?.outcome ?? null,
      nodes: document?.nodes ?? [],
      atMs: Date.now(),
    });
    return { code };
  });
  return { id, answered };
}

/** What a person asks for, most of all: `shop` moves, and node-a is pushed. */
export async function pushShop(bed: FaultBed): Promise<PushUnderWay> {
  await moveShop(bed);
  return await startPush(bed, "node-a");
}

/** Until the records have its result. They may be away in between. */
export async function waitUntilEnded(bed: FaultBed, push: PushUnderWay, withinMs = 150_000): Promise<void> {
  await waitFor(
    `push ${push.id} has ended`,
    async () => {
      const [row] = await bed.read(`select 1 from push where id = '${push.id}' and ended_at is not null`);
      return row === undefined ? null : true;
    },
    withinMs,
  );
}

/**
 * Until every push that is on record has ended, every machine says that it is as it was last told, and no provider owes a
 * withdrawal.
 */
export async function waitUntilSettled(bed: FaultBed, withinMs = 150_000): Promise<void> {
  await waitFor(
    "every push has ended, everything is applied, and nothing is owed",
    async () => {
      const [row] = await bed.read<Record<"open" | "behind" | "owed", string | null>>(unsettled);
      const left = Object.entries(row ?? {}).filter(([, which]) => which !== null);
      if (left.length === 0) return true;
      throw new Error(left.map(([what, which]) => `${what}: ${which}`).join("; "));
    },
    withinMs,
  );
}

const unsettled = `select
  (select string_agg(id, ', ') from push where ended_at is null) as open,
  (select string_agg(format('%s (%s, %s.%s of %s.%s)', n.name, coalesce(a.outcome, 'nothing'), a.epoch, a.number, d.epoch, d.number), ', ')
     from node n
     join lateral (select epoch, number from declaration where mesh = n.mesh and node = n.name
                    order by epoch desc, number desc limit 1) d on true
     left join account a on a.mesh = n.mesh and a.node = n.name
    where a.outcome is distinct from 'applied' or a.epoch is distinct from d.epoch or a.number is distinct from d.number)
    as behind,
  (select string_agg(id, ', ') from provision where state = 'owed') as owed`;

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // absence is the answer: a command that a fault cut has said nothing whole, and claims nothing.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
