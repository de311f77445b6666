import type { HostChecks } from "./checks/check-hosts.ts";
import { faultsUntilMs } from "./faults.ts";
import { enrolAnew } from "./hosts/launch-host.ts";
import { guard, type Parts } from "./parts.ts";
import { compareOrder, describeOrder } from "../../src/decide/order.ts";
import type { RecoveryPlan } from "../../src/decide/plan-recovery.ts";
import { demand } from "./checks/violation.ts";
import { planFor } from "./store/recovery-twin.ts";
import { listClaims, newestSent, type Records } from "./store/state.ts";
import { createProcess } from "./timeline.ts";
import { enrolNode } from "./world/mesh.ts";

type Ready = Extract<RecoveryPlan, { kind: "ready" }>;

/** How often the operator looks, and for how long hosts are waited for before it goes on without them. */
const lookEveryMs = 2_000;
const patienceMs = 15_000;
/** What nobody can work out is pushed again and again; the last one has to be able to end before the life does. */
const pushUntilMs = 225_000;
/** No restore in the last part of the faults: everybody must have been heard before the end. */
const restoreUntilMs = faultsUntilMs / 2;

/**
 * The records of some runs are read in from a backup, by hand, and nobody tells the controller. An operator sees that the
 * mesh has stopped, waits for its hosts, goes on above them with `mesh recover`, and pushes everything.
 */
export function scheduleRestore(parts: Parts, checks: HostChecks, pushAll: () => void): void {
  const { timeline, faults, store, story } = parts;
  const own = parts.random.fork("restore");
  if (!own.chance(0.25)) return;
  const loses = own.chance(0.4) ? "epochs" : "declarations";
  const backupAtMs = own.between(5_000, loses === "epochs" ? 15_000 : restoreUntilMs - 10_000);
  timeline.at(backupAtMs, () => {
    if (!faults.isOn("restore")) return;
    const backup = store.records;
    const leastMs = loses === "epochs" ? 55_000 : 3_000;
    if (loses === "epochs")
      for (const afterMs of [1_000, 19_000, 37_000]) timeline.at(afterMs, () => killHolder(parts));
    timeline.at(own.between(leastMs, restoreUntilMs - backupAtMs), () => {
      story.say(`the records are restored: those of ${backupAtMs / 1000} s`);
      store.restore(backup);
      timeline.at(1_000, () => enrolStrangers(parts, checks));
      operate(parts, checks, pushAll);
    });
  });
}

/** Hosts that enrolled after the backup have no key in it: people enrol them again. */
function enrolStrangers(parts: Parts, checks: HostChecks): void {
  for (const [node, host] of parts.hosts) {
    const { records } = parts.store;
    if (records.nodes.get(node)?.incarnation === host.incarnation) continue;
    const incarnation = enrolAnew(parts, checks, node);
    parts.story.say(`${node} is enrolled again as ${incarnation}`);
    const at = parts.store.nowIso();
    parts.store.edit((draft) => enrolNode(draft, node, draft.nodes.get(node)?.address ?? "10.0.0.1", incarnation, at));
  }
}

function killHolder({ controllers }: Parts): void {
  [...controllers].find((one) => one.lease?.mayAct() === true)?.kill();
}

/** I16: what comes next is above what every host has that was heard. */
function checkAbove({ hosts }: Parts, { epoch, number, hosts: found }: Ready): void {
  for (const { node, standing, isLeftOut, has } of found) {
    const mark = hosts.get(node)?.disk.mark?.order ?? null;
    if (isLeftOut || standing === "not-heard" || mark === null || has === null) continue;
    demand(compareOrder({ epoch, number }, has) >= 0, "I16", () => {
      return `the mesh is recovered above ${epoch}.${number}, and ${node} said that it has ${describeOrder(has)}`;
    });
  }
}

/** `status` says of it that nobody can tell: it was heard only after somebody went on, and was told nothing since. */
function isSomebodyAhead(records: Records): boolean {
  return listClaims(records).some(({ node, order }) => {
    const sent = newestSent(records, node);
    return sent === null || compareOrder(sent.order, order) <= 0;
  });
}

function operate(parts: Parts, checks: HostChecks, pushAll: () => void): void {
  const { timeline, store, story } = parts;
  const process = createProcess("operator");
  const connection = store.connect(process, { latencyMs: () => 2, call: () => "none" });
  let pushedAtMs = 0;
  const look = async (): Promise<void> => {
    for (;;) {
      await timeline.pass(lookEveryMs);
      const { stop } = store.records;
      if (stop === null) {
        const isInTime = timeline.nowMs - pushedAtMs > patienceMs && timeline.nowMs < pushUntilMs;
        if (isInTime && isSomebodyAhead(store.records)) {
          pushedAtMs = timeline.nowMs;
          pushAll();
        }
        continue;
      }
      const isPatient = Date.parse(store.nowIso()) - Date.parse(stop.since) < patienceMs;
      const plan = planFor(store.records, []);
      const missing = plan.kind === "blocked" ? [...plan.missing, ...plan.tooFar] : [];
      if (missing.length > 0 && isPatient) continue;
      const done = await connection.recover(missing).catch(() => null);
      if (done?.kind !== "ready") continue;
      story.say(`the mesh is recovered above ${done.epoch}.${done.number}, without ${missing.join(", ") || "nobody"}`);
      // It gives the lease back in the holder's stead: until that one looks there are two, and the gate keeps them apart.
      parts.emptied.atMs = timeline.nowMs;
      guard(parts, () => {
        checkAbove(parts, done);
        checks.recovered();
      });
      pushedAtMs = timeline.nowMs;
      pushAll();
    }
  };
  look().catch((error: unknown) => {
    parts.failure ??= error;
  });
}
