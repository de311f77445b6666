import type { Mutant, Replacement } from "./mutant.ts";

/** Sources change their policy at most acts, where they do at one of five. */
const policyOften: readonly Replacement[] = [
  {
    file: "test/simulation/world/policy.ts",
    find: `!random.chance(0.2)`,
    replace: `!random.chance(0.8)`,
  },
];

/** Records are restored in each run, and more attempts are given up and go on. */
export const stoppedOften: readonly Replacement[] = [
  {
    file: "test/simulation/restore-records.ts",
    find: `if (!own.chance(0.25)) return;`,
    replace: `own.chance(0.25);`,
  },
  {
    file: "test/simulation/simulation.ts",
    find: `own.chance(0.05) ? own.between(5, 100)`,
    replace: `own.chance(0.3) ? own.between(5, 100)`,
  },
];

/** Whom a push tells what, and credentials. */
export const pushMutants: readonly Mutant[] = [
  {
    name: "prunes-what-a-host-may-have",
    why: "old declarations go although their host may not have gone past them",
    file: "src/decide/plan-prune.ts",
    find: `return compareOrder(order, account.order) < 0 ? null : "its host may have it";`,
    replace: `return null;`,
    breaks: ["I18"],
  },
  {
    name: "prunes-for-who-is-enrolled",
    why: "old declarations go although their host was never heard",
    file: "src/decide/plan-prune.ts",
    find: `return incarnation === sent.enrolled ? "its host may have it" : null;`,
    replace: `return null;`,
    breaks: ["I18"],
  },
  {
    name: "prunes-what-goes-on",
    why: "declarations of a push that goes on are pruned",
    file: "src/decide/plan-prune.ts",
    find: `if (sent.isOpen) return "its push goes on";`,
    replace: ``,
    breaks: ["I18"],
  },
  {
    name: "sent-again",
    why: "a machine is sent what it was sent already",
    file: "src/decide/decide-tell.ts",
    find: `if (sent !== undefined && stands && isSent(composition, sent)) {`,
    replace: `if (sent !== undefined && stands && isSent(composition, sent) && named) {`,
    breaks: ["I14", "I9"],
  },
  {
    name: "cascade-takes-newest",
    why: "a cascade carries builds that nobody pushed there",
    file: "src/decide/compose-for-push.ts",
    find: `if (how.named && !byPolicy) return withDigest(newest());`,
    replace: `if (!byPolicy) return withDigest(newest());`,
    breaks: ["I9b"],
  },
  {
    name: "policy-takes-all",
    why: "a push by policy also moves modules that are under no policy",
    file: "src/decide/compose-for-push.ts",
    find: `if (known !== undefined && known.fit !== null && isUnderAuto(world, known, known.fit))`,
    replace: `if (known !== undefined && known.fit !== null)`,
    breaks: ["I9b"],
  },
  {
    name: "policy-of-the-source-alone",
    why: "a build that was made under no policy goes out because a newer commit says auto",
    file: "src/decide/compose-for-push.ts",
    find: `return made === "auto" && (upgrade === null || upgrade === "auto");`,
    replace: `return made !== undefined && upgrade === "auto";`,
    often: policyOften,
    breaks: ["I9b"],
  },
  {
    name: "policy-of-the-build-alone",
    why: "a build that was made under auto goes out although its source says record since",
    file: "src/decide/compose-for-push.ts",
    find: `return made === "auto" && (upgrade === null || upgrade === "auto");`,
    replace: `return made === "auto" && upgrade !== undefined;`,
    often: policyOften,
    breaks: ["I9b"],
  },
  {
    name: "withdrawal-untold",
    why: "who provided what a push withdrew, and nothing that it minted, is passed over",
    file: "src/decide/find-changed.ts",
    find: `    const digest = digestIn(node, how);`,
    replace: `    const isOf = ({ provider }: Provision): boolean => provider.node === node;
    const passed = !how.named && effects.withdrawn.some(isOf) && !effects.minted.some(isOf);
    const digest = passed ? before : digestIn(node, how);`,
    breaks: ["I9"],
  },
  {
    name: "moved-provider-untold",
    why: "who is served by a provider that a push moved is passed over",
    file: "src/decide/find-changed.ts",
    find: `    const digest = digestIn(node, how);`,
    replace: `    const serves = [...world.provisions.values()].filter(({ consumer }) => consumer.node === node);
    const owes = [...effects.minted, ...effects.withdrawn].some(({ provider }) => provider.node === node);
    const isServed = serves.some(({ provider }) => provider.node !== node && told.has(provider.node));
    const passed = !how.named && !owes && isServed;
    const digest = passed ? before : digestIn(node, how);`,
    breaks: ["I9"],
  },
  {
    name: "removal-unconfirmed",
    why: "a named machine loses most of what it runs, and nobody was asked",
    file: "src/decide/decide-tell.ts",
    find: `!(named && input.confirmRemoval)`,
    replace: `!named`,
    breaks: ["I19"],
  },
  {
    name: "removal-confirmed-for-others",
    why: "who confirms what named machines lose has confirmed it for cascaded ones",
    file: "src/decide/decide-tell.ts",
    find: `!(named && input.confirmRemoval)`,
    replace: `!input.confirmRemoval`,
    breaks: ["I19"],
  },
  {
    name: "round-told-by-one-batch",
    why: "a round is taken to be told once one of its batches was",
    file: "src/activities/tell.ts",
    find: `  const targets = batch.targets.filter(({ node }) => !toldNodes.has(node));`,
    replace: `  const isTold = (await deps.records.listTold(push.id)).some(({ round }) => round === request.round);
  const targets = batch.targets.filter(({ node }) => !isTold && !toldNodes.has(node));`,
    breaks: ["I9", "L5"],
  },
  {
    name: "moved-to-another-provider",
    why: "who is served moves to another provider of the kind",
    file: "src/decide/choose-provider.ts",
    find: `if (serving !== undefined) return serving;`,
    replace: `if (serving !== undefined) return usable.find(({ assigned }) => assigned) ?? serving;`,
    breaks: ["I20"],
  },
  {
    name: "left-provider-forgotten",
    why: "who was served by a host that was enrolled anew moves to another one, which was told first",
    file: "src/decide/choose-provider.ts",
    find: `if (left !== undefined) return neverTold(input, left);`,
    replace: `if (left !== undefined && usable.length === 0) return neverTold(input, left);`,
    breaks: ["I20"],
  },
  {
    name: "no-cascade",
    why: "only named machines are told",
    file: "src/decide/find-changed.ts",
    find: `if (digest === before && !owesUnsaid(input, node, { digest, owing })) continue;`,
    replace: `if (digest === before || !named.has(node)) continue;`,
    breaks: ["I9"],
  },
  {
    name: "cascade-takes-all",
    why: "a push also tells machines that were behind before it",
    file: "src/decide/find-changed.ts",
    find: `const before = told.has(node) ? told.get(node) : baseline.get(node);`,
    replace: `const before = told.has(node) ? told.get(node) : (world.sent.get(node)?.digest ?? null);`,
    breaks: ["I9"],
  },
  {
    name: "withdrawal-forgotten",
    why: "a credential that nobody needs stays issued",
    file: "src/activities/tell.ts",
    find: `if (decision.withdrawals.length > 0) await`,
    replace: `if (decision.withdrawals.length > 99) await`,
    breaks: ["I7", "I8c", "L5", "I14"],
  },
  {
    name: "version-again",
    why: "a credential that was withdrawn is issued again under its version",
    file: "src/decide/resolve-requirements.ts",
    find: `version: (world.versions.get(id) ?? 0) + 1,`,
    replace: `version: Math.max(1, world.versions.get(id) ?? 0),`,
    breaks: ["L5", "I8c"],
  },
  {
    name: "paid-before-told",
    why: "a withdrawal is confirmed by a host that was not told of it yet",
    file: "test/simulation/store/report-twin.ts",
    find: `if (compareOrder(told, read.has) > 0) return one;`,
    replace: `if (told.epoch === 0) return one;`,
    breaks: ["I8c"],
  },
  {
    name: "untold-owed-for-ever",
    why: "what was withdrawn before its provider was told of it waits for a send that has no cause",
    file: "test/simulation/store/gate-twin.ts",
    find: `const told = isListed ? null`,
    replace: `const told = isListed || count > 0 ? null`,
    breaks: ["L1"],
  },
  {
    name: "stale-at-once",
    why: "a declaration is stale when it is issued",
    file: "src/activities/make-declaration.ts",
    find: `issuedAtMs + sender.staleAfterMs`,
    replace: `issuedAtMs`,
    breaks: ["I15"],
  },
  {
    name: "look-from-memory",
    why: "what composing a node asked of the records is taken to be as it was in an earlier look",
    file: "src/decide/composition-memory.ts",
    find: `part.change += 1;`,
    replace: `part.change = 1;`,
    breaks: ["I9"],
  },
  {
    name: "push-of-one-round",
    why: "a push ends after its named machines, whatever that changed",
    file: "src/activities/find-changed-nodes.ts",
    find: `  if (changed.length > 0) await`,
    replace: `  changed.length = 0;
  if (changed.length > 0) await`,
    breaks: ["I9"],
  },
  {
    name: "told-too-late",
    why: "an attempt that was given up tells again whom its retry told, when the push has looked further",
    file: "src/activities/tell.ts",
    find: `filter(({ node }) => !toldNodes.has(node))`,
    replace: `filter(({ node }) => !toldNodes.has(node) || node !== "")`,
    breaks: ["I9"],
  },
  {
    name: "told-after-its-end",
    why: "an attempt goes on with a push that was ended, once the stop that ended it is over",
    file: "src/activities/tell.ts",
    find: `if (now.endedAt !== null) throw`,
    replace: `if (now === null) throw`,
    often: stoppedOften,
    breaks: ["I9"],
  },
  {
    name: "named-anew",
    why: "a retry names others than its first attempt",
    file: "src/activities/open-push.ts",
    find: `const kept = await deps.records.getPush(push);`,
    replace: `const kept = { named: targets.map(({ node }) => node) };`,
    breaks: ["I9"],
  },
  {
    name: "nobody-told",
    why: "whom a push tells first is kept only where it was kept already",
    file: "src/activities/open-push.ts",
    find: `if ((await deps.records.countTargets(round)) === 0)`,
    replace: `if ((await deps.records.countTargets(round)) > 0)`,
    breaks: ["L5", "L1"],
  },
];
