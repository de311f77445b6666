import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { waitFor } from "../../beds/support/wait-for.ts";
import { type FaultBed, nodes } from "../mesh/bed.ts";
import { handOver, readEpoch, waitForEnd, waitForNewEpoch } from "../mesh/hand-over.ts";
import {
  moveShop,
  pushShop,
  startPush,
  waitUntilEnded,
  waitUntilSettled,
  type PushUnderWay,
} from "../mesh/workload.ts";
import type { Scenario } from "./scenario.ts";

const group = "records";

/** What can become of PostgreSQL and of the road to it. */
export const recordScenarios: readonly Scenario[] = [
  {
    name: "postgres-restarts",
    what: "PostgreSQL is cut off and started again 20 times in one push (R50, case 42)",
    group,
    async run(bed) {
      const held = "push.close:before";
      // Whoever acts holds the push open: a restart may end the holder.
      const armed = { failpoints: `${held}=hold` };
      await handOver(bed, armed, armed);
      const push = await pushShop(bed);
      for (let restart = 1; restart <= 20; restart += 1) {
        await bed.servers.endPostgres("quit");
        await bed.servers.startPostgres();
        await waitFor("the records answer", async () => (await bed.read("select 1 from mesh")).length, 30_000);
        if (await hasEnded(bed, push)) throw new Error(`the push ended before restart ${restart} of 20 was over`);
      }
      await letGo(bed, push, held);
      await push.answered;
      // Those that stand by are armed still.
      await handOver(bed);
    },
  },
  {
    name: "postgres-killed",
    what: "kill -9 of PostgreSQL's first process as soon as something is declared (case 42)",
    group,
    async run(bed) {
      const before = await countSends(bed);
      const push = await pushShop(bed);
      await waitFor("a send", async () => ((await countSends(bed)) > before ? true : null), 60_000);
      await bed.servers.endPostgres("kill");
      await bed.servers.startPostgres();
      await push.answered;
    },
  },
  {
    name: "disk-full",
    what: "the disk of the records is full during a push: no number without its send, and what did not end goes on when there is room",
    group,
    needs: "namespaces",
    async run(bed) {
      if (bed.servers.fillDisk === null) throw new Error("the records have no disk of their own");
      const log = join(bed.state, "log", "postgres.log");
      const from = (await readFile(log, "utf8")).length;
      await moveShop(bed);
      const before = await readNumbers(bed);
      await bed.servers.fillDisk();
      const push = await startPush(bed, "node-a");
      const missed = async (): Promise<true | null> =>
        (await readFile(log, "utf8")).slice(from).includes("No space left on device") ? true : null;
      await waitFor("PostgreSQL misses its disk", missed, 90_000);
      await expectNothingHalf(bed, push, before);
      await bed.servers.freeDisk();
      await bed.servers.startPostgres();
      await push.answered;
    },
  },
  {
    name: "pool-exhausted",
    what: "every statement about nodes waits for 20 s, until the pool is empty: the lease is kept all the same",
    group,
    async run(bed) {
      await bed.controllers.waitForHolder();
      const epoch = await readEpoch(bed);
      const push = await pushShop(bed);
      const client = new pg.Client({ connectionString: bed.servers.url() });
      await client.connect();
      try {
        await client.query("begin; lock table node, push, assignment in access exclusive mode");
        const beats = (): number => bed.recorder.leases.filter((lease) => lease.epoch === epoch).length;
        const from = beats();
        await waitFor("four renewals", async () => (beats() >= from + 4 ? true : null), 60_000);
        await client.query("rollback");
      } finally {
        await client.end();
      }
      await push.answered;
      if ((await readEpoch(bed)) !== epoch) throw new Error("load alone lost the lease (R34)");
    },
  },
  {
    name: "commit-answer-cut",
    what: "COMMIT of a send is carried out and its answer is lost: it is read before it is done again (case 37)",
    group,
    async run(bed) {
      const { road } = await bed.controllers.waitForHolder();
      const cut = road.cutCommitAfter("insert into told");
      const push = await pushShop(bed);
      await cut;
      await push.answered;
    },
  },
  {
    name: "controller-cut-off",
    what: "the holder's road to the records is blocked in one way or both: another one takes over, it ends (R34, R36)",
    group,
    async run(bed, random) {
      const controller = await handOver(bed);
      const epoch = await readEpoch(bed);
      await moveShop(bed);
      const push = await startPush(bed, "node-a");
      controller.road.block(random.pick(["to", "from", "both"]));
      await waitForNewEpoch(bed, epoch);
      controller.road.heal();
      await waitForEnd(controller);
      await push.answered;
    },
  },
  ...["lease", "epoch_grant", "lease, epoch_grant"].map((tables): Scenario => ({
    name: `emptied-${tables.replace(", ", "-and-").replace("epoch_grant", "grants")}`,
    what: `${tables} is emptied under a holder: never a lower or equal epoch again (R35, case 38)`,
    group,
    async run(bed) {
      const controller = await handOver(bed);
      const epoch = await readEpoch(bed);
      await waitFor(
        "the grant is on record",
        async () => (bed.recorder.grants.some((grant) => grant.epoch === epoch) ? true : null),
        10_000,
      );
      const push = await pushShop(bed);
      await bed.read(`truncate ${tables}`);
      if (!tables.startsWith("lease")) controller.signal("SIGTERM");
      await waitForNewEpoch(bed, epoch);
      await waitForEnd(controller);
      await push.answered;
    },
  })),
  {
    name: "restart-sends-nothing",
    what: "the controller is replaced in order while nothing is to be done: nobody is told anything (R50)",
    group,
    async run(bed) {
      // Of scenarios before this one a machine may run an older build than there is: then something is to be done.
      await (
        await startPush(bed, ...nodes)
      ).answered;
      await waitUntilSettled(bed);
      const before = await countSends(bed);
      const wake = "select count(*)::int as count from push";
      const [{ count } = { count: -1 }] = await bed.read<{ count: number }>(wake);
      await handOver(bed);
      const push = await startPush(bed, ...nodes);
      await waitUntilEnded(bed, push);
      await push.answered;
      if ((await countSends(bed)) !== before) throw new Error("a restart sent something (R50)");
      const [{ count: after } = { count: -1 }] = await bed.read<{ count: number }>(wake);
      if (after !== count + 1) throw new Error(`a restart opened ${after - count - 1} pushes (R50)`);
    },
  },
];

async function hasEnded(bed: FaultBed, push: PushUnderWay): Promise<boolean> {
  return (await bed.read(`select 1 from push where id = '${push.id}' and ended_at is not null`)).length > 0;
}

/** Whoever holds the push at this failpoint goes on, until it has ended. */
async function letGo(bed: FaultBed, push: PushUnderWay, held: string): Promise<void> {
  const gone = new Set<number>();
  await waitFor(
    `push ${push.id} is let go, and ends`,
    async () => {
      for (const one of bed.controllers.alive.filter(({ pid }) => !gone.has(pid)))
        if (one.text().includes(`failpoint ${held}: hold`)) {
          gone.add(one.pid);
          one.signal("SIGUSR2");
        }
      return (await hasEnded(bed, push)) ? true : null;
    },
    150_000,
  );
}

interface Numbers {
  readonly number: number;
  readonly sends: number;
  /** The push that was asked for; false where none was. */
  readonly hasEnded: boolean;
}

async function readNumbers(bed: FaultBed, push?: PushUnderWay): Promise<Numbers> {
  const [found] = await bed.read<Numbers>(
    `select number::int, (select count(*)::int from declaration) as sends,
       exists (select 1 from push where id = '${push?.id ?? ""}' and ended_at is not null) as "hasEnded"
     from mesh`,
  );
  if (found === undefined) throw new Error("there is no mesh in the records");
  return found;
}

/** On a full disk, of what the push asked for: each number that was taken has its send, and the push goes on. */
async function expectNothingHalf(bed: FaultBed, push: PushUnderWay, before: Numbers): Promise<void> {
  // One question: on a full disk the server may end between two.
  const now = await readNumbers(bed, push).catch((error: unknown) => {
    // absence is the answer: a server that its full disk has ended takes no number.
    bed.say(`  the records do not answer on their full disk: ${String(error)}`);
    return null;
  });
  if (now === null) return;
  const [taken, sent] = [now.number - before.number, now.sends - before.sends];
  bed.say(`  on the full disk ${taken} numbers were taken, and ${sent} declarations sent`);
  if (taken !== sent)
    throw new Error(`on a full disk ${taken} numbers were taken, and ${sent} declarations sent (R28)`);
  // What PostgreSQL had laid by for its log was enough for all of it, and something else missed the disk.
  if (now.hasEnded) bed.say("  the push had ended before the disk was missed");
}

async function countSends(bed: FaultBed): Promise<number> {
  return (await bed.read("select 1 from declaration")).length;
}
