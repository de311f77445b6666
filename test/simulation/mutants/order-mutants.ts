import type { Mutant } from "./mutant.ts";

/** Leases, epochs and the one transaction. */
export const orderMutants: readonly Mutant[] = [
  {
    name: "no-floor",
    why: "the next epoch is counted from the lease alone, which can be emptied",
    file: "src/decide/lease.ts",
    find: `const last = Math.max(before, known.lease ?? 0, known.grants ?? 0);`,
    replace: `const last = known.lease ?? 0;`,
    breaks: ["I2"],
  },
  {
    name: "no-waiting",
    why: "a candidate takes the lease before it has stood still for its whole age",
    file: "src/decide/lease.ts",
    find: `unchangedMs >= seen.ageMs`,
    replace: `unchangedMs >= seen.ageMs / 10`,
    breaks: ["I5"],
  },
  {
    name: "waits-too-long",
    why: "a candidate waits for three times the age of the lease",
    file: "src/decide/lease.ts",
    find: `unchangedMs >= seen.ageMs`,
    replace: `unchangedMs >= seen.ageMs * 3`,
    breaks: ["L2"],
  },
  {
    name: "no-margin",
    why: "a holder goes on for twice the age of its lease",
    file: "src/decide/lease.ts",
    find: `const forMs = leaseAgeMs - leaseMarginMs;`,
    replace: `const forMs = leaseAgeMs * 2 + leaseMarginMs * 0;`,
    breaks: ["I5"],
  },
  {
    name: "one-clock",
    why: "a holder goes by the wall clock alone, which can be set back",
    file: "src/decide/lease.ts",
    find: `return now.monotonicMs < deadline.monotonicMs && now.wallMs < deadline.wallMs;`,
    replace: `return now.wallMs < deadline.wallMs;`,
    breaks: ["I5"],
  },
  {
    name: "no-deadline-check",
    why: "an activity acts without asking whether the lease may have run out",
    file: "src/activities/tell.ts",
    find: `if (!deps.mayAct()) throw`,
    replace: `if (deps.epoch === 0) throw`,
    often: [
      {
        file: "test/simulation/schedule-faults.ts",
        find: `faults.often(own, 70_000,`,
        replace: `faults.often(own, 15_000,`,
      },
    ],
    breaks: ["I5"],
  },
  {
    name: "dead-epoch-at-the-gate",
    why: "the gate takes numbers for any epoch",
    file: "test/simulation/store/push-twin.ts",
    find: `if (before.epoch !== epoch || epoch === 0)`,
    replace: `if (epoch === 0)`,
    breaks: ["I5", "I7"],
  },
  {
    name: "read-before-number",
    why: "what is sent is composed from what was read before the gate",
    file: "src/activities/tell.ts",
    find: `      await deps.records.passGate({ epoch: deps.epoch, count: targets.length }, (gate, numbers) =>
        tellTargets(deps, { gate, numbers, push, request, targets }),
      );`,
    replace: `    const limits = { silentAfterMs: 1, recordsStaleAfterMs: 1, sourcesStaleAfterMs: 1 };
    const { world } = await deps.records.readView({ now: new Date(deps.nowMs()).toISOString(), limits });
    await deps.records.passGate({ epoch: deps.epoch, count: targets.length }, (gate, numbers) =>
      tellTargets(deps, { gate: { ...gate, loadWorldFor: async () => world }, numbers, push, request, targets }),
    );`,
    breaks: ["I7", "I8", "I8c", "I9b", "I14"],
  },
  {
    name: "reads-outside",
    why: "the number is taken first, and the reads are of another transaction",
    file: "src/activities/tell.ts",
    find: `  const before = await gate.loadWorldFor(targets.map(({ node }) => node));`,
    replace: `  const limits = { silentAfterMs: 1, recordsStaleAfterMs: 1, sourcesStaleAfterMs: 1 };
  const before = (await deps.records.readView({ now: new Date(deps.nowMs()).toISOString(), limits })).world;`,
    breaks: ["I7", "I8"],
  },
  {
    name: "recovery-not-above",
    why: "a recovery goes on above what the records know, not above what hosts have",
    file: "src/decide/plan-recovery.ts",
    find: `const epoch = Math.max(facts.known.epoch, ...seen.map((order) => order.epoch)) + 1;`,
    replace: `const epoch = facts.known.epoch + 1 + seen.length * 0;`,
    often: [
      {
        file: "test/simulation/restore-records.ts",
        find: `if (!own.chance(0.25)) return;
  const loses = own.chance(0.4) ?`,
        replace: `const loses = own.chance(1) ?`,
      },
    ],
    breaks: ["L1", "L5", "I1", "I16"],
  },
  {
    name: "stopped-still-sends",
    why: "the gate takes numbers although the mesh is stopped",
    file: "test/simulation/store/push-twin.ts",
    find: `if (before.stop !== null) return`,
    replace: `if (before.stop !== null && epoch === 0) return`,
    breaks: ["I16"],
  },
  {
    name: "ahead-unheeded",
    why: "a host that has what the records never sent stops nothing",
    file: "src/decide/judge-claim.ts",
    find: `stops: !isOvercome && !facts.isLeftOut`,
    replace: `stops: !isOvercome && facts.incarnation === null`,
    // Where nothing stops, a host that is ahead stays so, and is never told what it should have.
    breaks: ["I16", "L1"],
  },
  {
    name: "record-in-another-transaction",
    why: "what was sent is recorded after the commit that sent it",
    file: "src/activities/tell.ts",
    find: `  await gate.recordTold(push.id, told);`,
    replace: `  const later = deps.records.passGate({ epoch: deps.epoch, count: 1 }, (own) => own.recordTold(push.id, told));
  later.catch(() => undefined);`,
    breaks: ["I6"],
  },
];
