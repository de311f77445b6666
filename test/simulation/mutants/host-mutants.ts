import type { Mutant, Replacement } from "./mutant.ts";
import { stoppedOften } from "./push-mutants.ts";

/** A host is put back in every life. */
const putBackOften: readonly Replacement[] = [
  {
    file: "test/simulation/put-back.ts",
    find: `if (!own.chance(0.5)) return;`,
    replace: `own.chance(0.5);`,
  },
];

/** What a host takes, does and says, and what is made of it. */
export const hostMutants: readonly Mutant[] = [
  {
    name: "host-without-fence",
    why: "a host takes an older declaration",
    file: "src/decide/accept-declaration.ts",
    find: `if (place > 0) return checkJump(offered, have.order);`,
    replace: `if (place !== 0) return checkJump(offered, have.order);`,
    breaks: ["I1"],
  },
  {
    name: "host-forgets-its-mark",
    why: "a host does not write down what it has accepted before it applies it",
    file: "src/host/cycle/inbox.ts",
    find: `    if (envelope !== null) await disk.writeNext(envelope);
    await disk.writeMark(mark);`,
    replace: `    await Promise.resolve(envelope);`,
    // A host that forgets is one that goes back, and is said to be.
    breaks: ["I1", "L1", "I17"],
  },
  {
    name: "host-takes-others",
    why: "a host takes what is for a host that was there before it",
    file: "src/decide/accept-declaration.ts",
    find: `if (offered.incarnation !== incarnation) {`,
    replace: `if (offered.incarnation === "") {`,
    // What it took may be below what its account has: it is told so, and reports it all the same.
    breaks: ["L3", "I1", "I6", "I4", "I13", "L1", "I17"],
  },
  {
    name: "host-takes-other-nodes",
    why: "a host takes what is for another node",
    file: "src/decide/accept-declaration.ts",
    find: `if (offered.node !== node) return refuse("node",`,
    replace: `if (offered.node !== node) return null; if (offered.node === "") return refuse("node",`,
    breaks: ["I4"],
  },
  {
    name: "applied-unread",
    why: "a host says applied where the change failed",
    file: "src/host/cycle/apply-resource.ts",
    find: `if (conclusion.state === "applied" || failure === null) return report({ drift: difference, ...conclusion });`,
    replace: `return report({ drift: difference, ...conclusion, state: "applied" });`,
    breaks: ["I11"],
  },
  {
    name: "newer-taken-for-known",
    why: "a host takes what a newer declaration lists for applied where it lists nothing new by name",
    file: "src/host/cycle/apply-loop.ts",
    find: `const settled = isFull ? new Map<string, ResourceReport>() : settledOf(before, accepted, dirty);`,
    replace: `const isKnown = accepted.ordered.every(({ id }) => state.reports.has(id));
  const settled = isNew && isKnown ? settledOf(state.reports, accepted, dirty)
    : isFull ? new Map<string, ResourceReport>() : settledOf(before, accepted, dirty);`,
    breaks: ["I11"],
  },
  {
    name: "left-where-it-was",
    why: "what left the declaration is taken for removed, and stays on the machine",
    file: "src/host/cycle/remove-resources.ts",
    find: `const removal = await input.remove(resource);`,
    replace: `const removal = resource.kind === "grant" ? await input.remove(resource) : { kind: "removed", why: "" };`,
    breaks: ["I11"],
  },
  {
    name: "grant-left-where-it-was",
    why: "a provider that left the declaration grants what it granted",
    file: "src/host/cycle/remove-resources.ts",
    find: `const removal = await input.remove(resource);`,
    replace: `const removal = resource.kind !== "grant" ? await input.remove(resource) : { kind: "removed", why: "" };`,
    breaks: ["I8c", "I11"],
  },
  {
    name: "unremoved-forgotten",
    why: "what could not be removed is taken for removed, and not tried again",
    file: "src/host/cycle/remove-resources.ts",
    find: `left.push({ resource, report: { id: resource.id, state: "failed", message: sayNotRemoved(what, why, kept) } });`,
    replace: `if (sayNotRemoved(what, why, kept) !== "") places.add(placeOf(resource));`,
    breaks: ["I11"],
  },
  {
    name: "server-that-stays-forgotten",
    why: "a server that does not answer, and cannot be removed, is said to grant nothing any more",
    file: "src/host/cycle/remove-resources.ts",
    find: `const servers = input.wanted.has(grant.id) ? [] : grant.after.filter((id) => staying.has(id));`,
    replace: `const servers = staying.size < 0 ? grant.after : [];`,
    often: [
      {
        file: "test/simulation/hosts/host-faults.ts",
        find: `if (!unclean.chance(0.3)) return null;`,
        replace: `if (!unclean.chance(0.7)) return null;`,
      },
    ],
    breaks: ["I8c"],
  },
  {
    name: "applied-once-for-ever",
    why: "a host that takes up a declaration does not look at what was there before, just so",
    file: "src/host/cycle/apply-pass.ts",
    find: `    signal.throwIfAborted();
    const what = textOfResource(resource);`,
    replace: `    if (wasApplied.has(resource.id) && resource.kind !== "grant") {
      reports.set(resource.id, { id: resource.id, state: "applied", message: "" });
      continue;
    }
    signal.throwIfAborted();
    const what = textOfResource(resource);`,
    breaks: ["I11"],
  },
  {
    name: "heard-by-the-clock",
    why: "a host whose clock was set back says nothing until that time comes again",
    file: "src/host/cycle/reporter.ts",
    find: `Math.abs(nowMs - last.atMs) >= heartbeatMs`,
    replace: `nowMs - last.atMs >= heartbeatMs`,
    often: stoppedOften.slice(0, 1),
    breaks: ["L1", "I17"],
  },
  {
    name: "older-report-kept",
    why: "a report that comes late goes over a newer one",
    file: "src/decide/order-reports.ts",
    find: `if (place > 0) return { kind: "kept" };`,
    replace: `if (place !== 0) return { kind: "kept" };`,
    breaks: ["I10"],
  },
  {
    name: "reverted-by-clock",
    why: "a report that comes late is taken for one of a host that went back, because a clock was set back",
    file: "src/decide/judge-reversion.ts",
    find: `if (place >= 0 || report.behind === undefined || compareReports(report.behind, kept) < 0) return null;`,
    replace: `const madeAt = (of: object): string => ("at" in of ? String(of.at) : "");
  if (place >= 0 || madeAt(report) <= madeAt(kept)) return null;`,
    breaks: ["I17"],
  },
  {
    name: "reverted-unsaid",
    why: "nobody says of a host that was told what is kept, and reports less, that it went back",
    file: "src/decide/judge-reversion.ts",
    find: `if (place >= 0 || report.behind === undefined || compareReports(report.behind, kept) < 0) return null;`,
    replace: `if (place >= 0 || report.behind !== null) return null;`,
    often: putBackOften,
    breaks: ["I17"],
  },
  {
    name: "behind-unheard",
    why: "a host that is told what is kept of it does not say so",
    file: "src/host/cycle/reporter.ts",
    find: `      behind = kept;`,
    replace: `      behind = kept.boot < 0 ? kept : null;`,
    often: putBackOften,
    breaks: ["I17"],
  },
  {
    name: "reverted-deaf",
    why: "a push takes for standing what a host had before it went back, and sends it nothing",
    file: "src/decide/world.ts",
    find: `const above = [world.claims?.get(node), world.reverted?.get(node)];`,
    replace: `const above = [world.claims?.get(node)];`,
    often: putBackOften,
    breaks: ["L1"],
  },
  {
    name: "own-offers-foreign",
    why: "what was sent, pruned since and comes again is said to be another writer's",
    file: "src/decide/find-second-writer.ts",
    find: `[pruned, recovered].some((upTo) =>`,
    replace: `[recovered].some((upTo) =>`,
    breaks: ["I21"],
  },
  {
    name: "refused-uncounted",
    why: "reports that are refused are not counted",
    file: "test/simulation/store/report-twin.ts",
    find: `refusedReports: node.refusedReports + 1`,
    replace: `refusedReports: node.refusedReports`,
    breaks: ["I10"],
  },
  {
    name: "late-taken-for-twice",
    why: "a report that comes late is answered as one that came twice, and counted nowhere",
    file: "src/decide/order-reports.ts",
    find: `if (place === 0 && isSameStart && made.at === report.at)`,
    replace: `if (place <= 0 && isSameStart)`,
    breaks: ["I10"],
  },
  {
    name: "report-of-anybody",
    why: "the report of a host that is no longer enrolled is kept",
    file: "src/decide/order-reports.ts",
    find: `if (report.incarnation !== incarnation) {`,
    replace: `if (incarnation === null) {`,
    breaks: ["I13"],
  },
  {
    name: "silence-unheard",
    why: "a host of which nothing is heard is said to be as it was",
    file: "src/decide/findings-of-host.ts",
    find: `if (age <= limits.silentAfterMs) return [];`,
    replace: `if (age >= 0) return [];`,
    breaks: ["L4"],
  },
  {
    name: "stuck-late",
    why: "stuck is said one report late",
    file: "src/decide/track-failures.ts",
    find: `export const stuckAfterReports = 3;`,
    replace: `export const stuckAfterReports = 4;`,
    breaks: ["L3"],
  },
  {
    name: "stuck-by-words",
    why: "a failure in other words counts as another one",
    file: "src/decide/track-failures.ts",
    find: `.map((resource) => resource.id)`,
    replace: `.map((resource) => \`\${resource.id} \${resource.message}\`)`,
    breaks: ["L3"],
  },
  {
    name: "stuck-for-ever",
    why: "what failed before counts against a newer declaration",
    file: "src/decide/track-failures.ts",
    find: `previous !== null && isSameDeclaration(previous.has, has)`,
    replace: `previous !== null`,
    breaks: ["L3"],
  },
];
