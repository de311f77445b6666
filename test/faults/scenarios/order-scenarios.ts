import { compareOrder } from "../../../src/decide/order.ts";
import { parseJournal } from "../history/read-journal.ts";
import type { FaultBed } from "../mesh/bed.ts";
import type { Controller } from "../mesh/controllers.ts";
import { waitFor } from "../../beds/support/wait-for.ts";
import { handOver, readEpoch, waitForEnd, waitForNewEpoch } from "../mesh/hand-over.ts";
import { editSite, startPush, waitUntilSettled, type PushUnderWay } from "../mesh/workload.ts";
import type { Scenario } from "./scenario.ts";

/** Against the two places where the order itself is kept: the gate's transaction and the host's fence. */
export const orderScenarios: readonly Scenario[] = [
  {
    name: "late-send",
    what: "a holder is paused between its check and the gate past its lease's age, the next one acts, then it sends: nothing of it is accepted (R36, cases 35, 36)",
    group: "controller",
    async run(bed) {
      const { controller, push } = await holdAtGate(bed);
      const epoch = await readEpoch(bed);
      await waitForNewEpoch(bed, epoch);
      // What it sends now is other content than what it was asked to.
      await editSite(bed);
      if (!controller.isAlive) throw new Error(`${controller.name} ended (${controller.end}) before it could send`);
      controller.signal("SIGUSR2");
      const outcome = await waitFor(
        "its send is refused, or taken",
        async () => {
          const sent = await bed.read(`select 1 from declaration where push = '${push.id}' and epoch = ${epoch}`);
          if (sent.length > 0) return "taken";
          return controller.end === null ? null : "refused";
        },
        120_000,
      );
      if (outcome === "refused") expectRefused(controller, epoch);
      if (controller.isAlive) controller.signal("SIGKILL");
      await waitForEnd(controller);
      await push.answered;
    },
  },
  {
    name: "replayed-declaration",
    what: "the records are made to serve an old, truly signed declaration as the newest: the host refuses it (R27, R38)",
    group: "host",
    async run(bed) {
      await bed.controllers.waitForHolder();
      for (let edit = 0; edit < 2; edit += 1) {
        await editSite(bed);
        await (
          await startPush(bed, "node-c")
        ).answered;
      }
      await waitUntilSettled(bed);
      const host = bed.hosts.process("node-c");
      await replay(bed, "node-c");
      try {
        // Long polls hear of it like of any other.
        await waitFor(
          "the host says what it does with it",
          async () => {
            const said = host.text().split("declaration refused").length - 1;
            return said > 0 || hasGoneBack(host.text()) ? true : null;
          },
          90_000,
        );
      } finally {
        await bed.read("delete from declaration where why = 'replayed by a run of faults'");
      }
      // Started again, so that what it says of this one is not taken for the next one's.
      host.signal("SIGTERM");
      await host.ended;
      bed.hosts.start("node-c");
    },
  },
];

/**
 * A holder that is held between its check and the gate, and whose renewals hang, so that nothing ends it before it has
 * tried. On a slow machine more renewals go well before one hangs: else its time is over before it comes to the gate.
 */
async function holdAtGate(bed: FaultBed): Promise<{ controller: Controller; push: PushUnderWay }> {
  const held = "failpoint gate:before: hold";
  for (const renewals of [4, 8, 16]) {
    const controller = await handOver(bed, {
      failpoints: `lease.renew:before=sleep600000:${renewals},gate:before=hold`,
    });
    await editSite(bed);
    const push = await startPush(bed, "node-c");
    await waitFor(
      "the gate is reached, or the time is over",
      async () => (controller.text().includes(held) || !controller.isAlive ? true : null),
      150_000,
    );
    if (controller.text().includes(held)) return { controller, push };
    await push.answered;
  }
  throw new Error("no holder came to the gate within 16 renewals");
}

/** It ended because the gate refused it, and for no other reason. What was taken is for the history to name. */
function expectRefused(controller: Controller, epoch: number): void {
  const said = controller.text();
  const why = new RegExp(`"why":"epoch ${epoch} of mesh [^"]* is over`);
  if (controller.end === "code 75" && why.test(said)) return;
  throw new Error(`${controller.name} ended (${controller.end}), and not of a refused send: ${said.slice(-1_000)}`);
}

/** The bytes of the declaration before the newest, under an order above everything. */
async function replay(bed: FaultBed, node: string): Promise<void> {
  await bed.read(
    `with old as (
       select * from declaration where node = '${node}' order by epoch desc, number desc offset 1 limit 1),
     put as (
       insert into declaration (mesh, node, epoch, number, digest, incarnation, envelope, builds, offers, push, round, why,
                                issued_at, stale_after)
         select mesh, node, epoch + 1000, number + 1000000, digest, incarnation, envelope, builds, offers, push,
                round + 1000, 'replayed by a run of faults', issued_at, stale_after from old returning mesh, node)
     select pg_notify('mesh_declaration', mesh || ' ' || node) from put`,
  );
}

/** By its own journal: it goes by something that is lower than what it had. */
function hasGoneBack(text: string): boolean {
  const lines = parseJournal("node-c", text);
  return lines.some((line, at) => at > 0 && compareOrder(line, lines[at - 1] ?? line) < 0);
}
