import { failpointNames, type Failpoint, type StepName } from "../../../src/core/failpoints.ts";
import type { Random } from "../../simulation/random.ts";
import { nodes, type FaultBed } from "../mesh/bed.ts";
import type { Controller } from "../mesh/controllers.ts";
import { handOver, readEpoch, waitForEnd, waitForNewEpoch } from "../mesh/hand-over.ts";
import { editSite, moveShop, pushShop, startPush, waitUntilEnded, waitUntilSettled } from "../mesh/workload.ts";
import type { Scenario } from "./scenario.ts";

type Action = "kill" | "stop";

/** How often a push with a cascade comes there: the fault is at one of them. */
const times: Partial<Record<StepName, number>> = {
  "lease.renew": 2,
  "push.targets": 2,
  gate: 2,
  "gate.composition": 2,
  "notify.wake": 2,
  "host.tracking": 2,
  "host.resource": 3,
  "host.remove": 2,
  "host.report": 2,
};

/** kill -9 and SIGSTOP at every failpoint there is: one scenario each. */
export const failpointScenarios: readonly Scenario[] = failpointNames.flatMap((point) => [
  createScenario(point, "kill"),
  createScenario(point, "stop"),
]);

function createScenario(point: Failpoint, action: Action): Scenario {
  const group = point.startsWith("host.") ? "host" : point.startsWith("build.") ? "build" : "controller";
  const [step = "", when = ""] = point.split(":");
  const what =
    action === "kill"
      ? `kill -9 ${when} ${step}, during a ${group === "build" ? "build" : "push with a cascade"} (R50, cases 37, 44)`
      : `SIGSTOP ${when} ${step} ${group === "host" ? "until the push has ended" : "past the lease's age"}, then SIGCONT (R36, cases 35, 36)`;
  const run = { controller: failController, host: failHost, build: failBuild }[group];
  return { name: `${action}@${point}`, what, group, run: (bed, random) => run(bed, { point, action, random }) };
}

interface Fault {
  readonly point: Failpoint;
  readonly action: Action;
  readonly random: Random;
}

function armed({ point, action, random }: Fault): string {
  const [step] = point.split(":");
  return `${point}=${action}:${random.between(1, times[step as StepName] ?? 1)}`;
}

async function failController(bed: FaultBed, fault: Fault): Promise<void> {
  const { point } = fault;
  const controller = await handOver(bed, { failpoints: armed(fault) });
  // Who takes a push needs somebody that acts: here the fault comes first, and the next one has to take over.
  if (point.startsWith("lease.take")) await bed.controllers.waitForHolder();
  const push = await pushShop(bed);
  if (point.startsWith("lease.release")) {
    await waitUntilEnded(bed, push);
    controller.signal("SIGTERM");
  }
  await sufferFault(bed, controller, fault);
  await push.answered;
}

/** The fault comes; where it is a pause, another controller takes over, the wish moves on, and only then it ends. */
async function sufferFault(bed: FaultBed, controller: Controller, { point, action }: Fault): Promise<void> {
  const own = await readEpoch(bed);
  await controller.hears(`failpoint ${point}: ${action}`);
  if (action === "kill") {
    await waitForEnd(controller);
    return;
  }
  // A candidate that was paused before it took the lease had none.
  const isCandidate = point === "lease.take:before";
  if (!isCandidate) await waitForNewEpoch(bed, own - (point === "lease.take:after" ? 1 : 0));
  // What it would send now is not what the next one sent: were it taken, it would be seen.
  await editSite(bed, "node-a");
  controller.signal("SIGCONT");
  if (!isCandidate) await waitForEnd(controller);
  await (
    await startPush(bed, "node-a")
  ).answered;
}

async function failHost(bed: FaultBed, fault: Fault): Promise<void> {
  const isRemoval = fault.point.startsWith("host.remove");
  // Only what leaves a node is removed: then `shop` has to be there first.
  if (isRemoval) await bringShop(bed);
  const node = isRemoval ? "node-a" : fault.random.pick(nodes.slice(0, 2));
  const before = bed.hosts.process(node);
  before.signal("SIGTERM");
  await before.ended;
  bed.hosts.start(node, armed(fault));
  const host = bed.hosts.process(node);
  await moveShop(bed);
  const push = await startPush(bed, "node-a");
  await host.hears(`failpoint ${fault.point}: ${fault.action}`, 90_000);
  if (fault.action === "kill") {
    await host.ended;
    bed.hosts.start(node);
  } else {
    await waitUntilEnded(bed, push);
    host.signal("SIGCONT");
  }
  await push.answered;
  await waitUntilSettled(bed);
  if (host.isAlive) {
    host.signal("SIGTERM");
    await host.ended;
    bed.hosts.start(node);
  }
}

async function bringShop(bed: FaultBed): Promise<void> {
  await bed.ask("assign", "node-a", "shop");
  await (
    await startPush(bed, "node-a")
  ).answered;
  await waitUntilSettled(bed);
}

async function failBuild(bed: FaultBed, fault: Fault): Promise<void> {
  const controller = await handOver(bed, { failpoints: armed(fault) });
  await bed.source.commit({ "site/page.txt": `A page of seed ${fault.random.next()}.\n` }, "Write another page");
  const own = await readEpoch(bed);
  await controller.hears(`failpoint ${fault.point}: ${fault.action}`);
  if (fault.action === "stop") {
    await waitForNewEpoch(bed, own);
    controller.signal("SIGCONT");
  }
  await waitForEnd(controller);
  await bed.ask("build", "site", "--wait", "--timeout", "170");
  await (
    await startPush(bed, "node-c")
  ).answered;
}
