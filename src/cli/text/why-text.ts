import type { Assignment } from "../../core/node.ts";
import type { ResourceReport } from "../../core/report.ts";
import { sayPlace } from "../../decide/say-edge.ts";
import type { ModuleExplanation } from "../../decide/explain-module.ts";
import type { SourceKnowledge } from "../../decide/judge-source.ts";
import { isBehind, type Situation } from "../../decide/situation.ts";
import type { Finding, ModuleRecord } from "../../store/modules.ts";
import { describeDuration } from "../../core/durations.ts";
import { describeAge } from "./ages.ts";
import { configWords } from "./assignment-words.ts";
import { alignColumns } from "./columns.ts";
import { findFirstFailure } from "./first-failure.ts";
import { type labelsOf, sayHeldCommit, sayNotReproducible } from "./label-text.ts";
import { sayLastKnown } from "./last-known.ts";
import { plainLine, plainLines } from "./plain.ts";
import { sayWord } from "../../decide/say-word.ts";

export interface NodeWhy {
  readonly situation: Situation;
  readonly assignments: readonly Pick<Assignment, "module" | "config" | "providers">[];
  /** The command that mends what keeps it from being worked out, where it is known. */
  readonly remedy: string | null;
  readonly sends: readonly {
    readonly epoch: number;
    readonly number: number;
    readonly push: string;
    readonly round: number;
    readonly why: string;
    readonly at: string;
  }[];
  /** Reports of it that were refused, and not kept. */
  readonly refusedReports: number;
  /** Its host reported, and the records of it do not read: `reported` is null then. */
  readonly reportUnreadable: boolean;
  readonly reported: {
    readonly outcome: string;
    readonly receivedAt: string;
    readonly troubles: readonly ResourceReport[];
  } | null;
}

export function nodeWhyText(why: NodeWhy, now: Date): string {
  const { situation, sends, reported } = why;
  const findings = situation.all.map((finding) => [
    sayWord(finding.word),
    finding.since === null ? "-" : `since ${describeAge(finding.since, now)}`,
    plainLine(finding.why),
  ]);
  const runs = why.assignments.map((one) => [one.module, configWords(one) || "-"]);
  const sent = sends.map((send) => [
    `${send.epoch}.${send.number}`,
    describeAge(send.at, now),
    `push ${send.push}, ${send.round === 0 ? "named" : `round ${send.round}`}`,
    plainLine(send.why, 300),
  ]);
  const troubles = (reported?.troubles ?? []).map((one) => [
    one.id,
    one.drift === undefined ? one.state : `${one.state}, had drifted`,
    plainLine(one.drift === undefined ? one.message : `wanted ${one.drift.wanted}, found ${one.drift.found}`, 300),
  ]);
  return [
    `${situation.node} is ${sayWord(situation.word)}, as known ${describeAge(situation.knownAt, now)}`,
    alignColumns(findings, "  "),
    ...situation.notices.map((notice) => `  ${plainLine(notice, 500)}`),
    ...(runs.length === 0 ? ["no module is assigned to it"] : ["is to run", alignColumns(runs, "  ")]),
    ...(sent.length === 0 ? ["it was never told anything"] : ["last told", alignColumns(sent, "  ")]),
    reported === null
      ? why.reportUnreadable
        ? "its host has reported, and what it said does not read: its next report mends that"
        : "its host has reported nothing"
      : `its host reported ${reported.outcome} ${describeAge(reported.receivedAt, now)}`,
    ...(troubles.length === 0 ? [] : [alignColumns(troubles, "  ")]),
    ...sayRefused(why.refusedReports),
    `  next: ${why.remedy ?? (isBehind(situation) ? `mesh plan ${situation.node}` : "mesh status --watch")}`,
  ].join("\n");
}

/** A few come late on any network. Where a second host writes, they are as many as it reports. */
function sayRefused(count: number): string[] {
  if (count === 0) return [];
  const what = count === 1 ? "1 report of it was" : `${count} reports of it were`;
  return [`${what} refused since it was registered: late, of other records, or of a second host beside its own`];
}

/** Why the newest source has no fit build. */
export interface FailedBuild {
  readonly commit: string;
  readonly stage: string | null;
  readonly message: string;
  readonly logTail: string;
  /** The commit of the newest fit build; null: it was never fit. */
  readonly lastFitCommit: string | null;
  /** Of an outstanding one: what failed in the environment, how often it was tried, and when it is again. */
  readonly retry: { readonly class: string; readonly attempts: number; readonly at: string | null } | null;
}

const logLinesShown = 12;

/** When an outstanding build is tried again. */
function sayRetry({ class: kind, attempts, at }: NonNullable<FailedBuild["retry"]>, now: Date): string {
  const waitMs = at === null ? 0 : Date.parse(at) - now.getTime();
  const again = waitMs > 0 ? `in ${describeDuration(waitMs)}` : "now";
  return `  nobody could judge it (${kind}), tried ${attempts === 1 ? "once" : `${attempts} times`}; it is tried again by itself ${again}`;
}

function failedLines({ commit, stage, logTail, lastFitCommit, retry }: FailedBuild, now: Date): string[] {
  const log = plainLines(logTail);
  const failure = stage === "test" ? findFirstFailure(log) : null;
  const shown = failure ?? log.slice(-logLinesShown);
  const what = failure === null ? "; the end of its log:" : "; the first test that fails:";
  return [
    ...(retry === null ? [] : [sayRetry(retry, now)]),
    `  the build of ${commit.slice(0, 7)} did not come out fit${stage === null ? "" : ` (${stage})`}${log.length === 0 ? ", and left no log" : what}`,
    ...shown.map((line) => `    ${line}`),
    sayKept(lastFitCommit),
  ];
}

function sayKept(lastFitCommit: string | null): string {
  return lastFitCommit === null
    ? "  it was never fit: no build of it runs"
    : `  nodes keep running what they have; the newest fit build is from ${lastFitCommit.slice(0, 7)}`;
}

/** What readers noticed in its source, and the builder in its last build. */
export interface ModuleFindings {
  readonly source: readonly Finding[];
  readonly build: readonly Finding[];
}

function findingLines({ source, build }: ModuleFindings): string[] {
  const rows = (findings: readonly Finding[]): string =>
    alignColumns(
      findings.map((one) => [one.severity, plainLine(sayPlace(one), 160), plainLine(one.message, 300)]),
      "    ",
    );
  return [
    ...(source.length === 0 ? [] : ["  noticed in its source:", rows(source)]),
    ...(build.length === 0 ? [] : ["  noticed by its last build:", rows(build)]),
  ];
}

/** Nothing of its source can be seen: no commit there could be the cure. */
function reachSource({ name, repository, branch }: ModuleRecord): string {
  return `see that ${repository} answers and has a branch ${branch} (mesh repo list); it is looked at again by itself; where it was registered wrongly: mesh module remove ${name}`;
}

/** No build mends what the source says. */
function mendBroken(module: ModuleRecord): string {
  const { name, repository, branch, path } = module;
  if (module.sourceCommit === null) return reachSource(module);
  const anew = `mesh module remove ${name}   then   mesh module add ${name} --repo ${repository} --branch ${branch} --path PATH`;
  return `commit what is missing to ${repository} (branch ${branch}, folder ${path}), or mend what is wrong; where it was removed for good: mesh module remove ${name}; where the folder is another: ${anew}`;
}

function sayNext(
  module: ModuleRecord,
  { standing, why, waitsFor }: ModuleExplanation,
  { failed, seen }: Pick<WhyParts, "failed" | "seen">,
): string {
  if (standing === "cannot-tell" && module.standing !== "cannot-tell") return seen.remedy;
  const [first] = waitsFor;
  if (first !== undefined) return `mesh why ${first}`;
  if (standing === "cannot-tell" || (standing === "broken" && module.sourceCommit === null)) return reachSource(module);
  if (standing === "broken") {
    const commit = `a commit to ${module.repository} (branch ${module.branch}, folder ${module.path}) mends it`;
    return why.some((line) => line.includes("no module publishes"))
      ? `${commit}, or the registration of the module that publishes it: mesh module add --help`
      : commit;
  }
  return failed === null ? `mesh module show ${module.name}` : `mesh log ${module.name}`;
}

export interface WhyParts {
  readonly seen: {
    /** The last look at its own branch; null: none. */
    readonly lookedAt: string | null;
    readonly source: SourceKnowledge;
    /** What helps where its source keeps it from being told. */
    readonly remedy: string;
  };
  readonly failed: FailedBuild | null;
  /** Of its newest fit build; null: it was never fit. */
  readonly lastFitCommit: string | null;
  readonly findings: ModuleFindings;
  readonly labels: WhyLabels;
}

export interface WhyLabels extends ReturnType<typeof labelsOf> {
  /** What it is built against, directly, that is not reproducible. */
  readonly unsteady: readonly string[];
}

function labelLines({ heldCommit, notReproducible, unsteady }: WhyLabels, now: Date): string[] {
  return [
    ...sayHeldCommit(heldCommit),
    ...sayNotReproducible(notReproducible, now, { all: true }),
    ...unsteady.map((one) => `${one} is not reproducible: every rebuild of it rebuilds this (mesh why ${one})`),
  ].map((line) => `  ${line}`);
}

function sayStands(name: string, standing: ModuleRecord["standing"]): string {
  return standing === "cannot-tell"
    ? `how ${name} stands cannot be told`
    : `${name} is ${standing.replaceAll("-", " ")}`;
}

function sayAt(edge: ModuleExplanation["dependsOn"][number]): string {
  return `${plainLine(edge.at, 120)}${sayLastKnown(edge)}`;
}

function sayNoEdges({ standing, reaches }: ModuleExplanation): string {
  if (standing === "broken") return "  no build edges are known of it while it is broken";
  if (reaches.length > 0) return "  no build edges now: what follows was built against it before";
  return "  no build edges: nothing of this mesh is imported, and nobody imports it";
}

/** As after a build that is not fit. */
function keptLines(standing: ModuleRecord["standing"], commit: string | null): string[] {
  if (standing !== "broken") return [];
  return [sayKept(commit)];
}

export function moduleWhyText(
  module: ModuleRecord,
  explanation: ModuleExplanation | null,
  now: Date,
  { failed, lastFitCommit, findings, labels, seen }: WhyParts,
): string {
  const known =
    seen.lookedAt === null ? "its source was never seen" : `its source seen ${describeAge(seen.lookedAt, now)}`;
  if (explanation === null) {
    const why = module.standingWhy === "" ? "its source was not looked at yet" : plainLine(module.standingWhy);
    const next =
      module.standing === "broken"
        ? mendBroken(module)
        : module.standing === "cannot-tell"
          ? reachSource(module)
          : `mesh build ${module.name}`;
    return [
      `${sayStands(module.name, module.standing)}, ${known}`,
      `  ${why}`,
      ...keptLines(module.standing, lastFitCommit),
      ...findingLines(findings),
      ...labelLines(labels, now),
      `  next: ${next}`,
    ].join("\n");
  }
  const edges = [
    ...explanation.dependsOn.map((edge) => ["built against", edge.module, edge.kind, sayAt(edge)]),
    ...explanation.dependents.map((edge) => ["built into", edge.module, edge.kind, sayAt(edge)]),
  ];
  return [
    `${sayStands(module.name, explanation.standing)}, ${known}`,
    ...explanation.why.map((line) => `  ${plainLine(line)}`),
    ...(failed === null ? keptLines(explanation.standing, lastFitCommit) : failedLines(failed, now)),
    ...findingLines(findings),
    ...labelLines(labels, now),
    ...(edges.length === 0 ? [sayNoEdges(explanation)] : [alignColumns(edges, "  ")]),
    ...(explanation.reaches.length === 0
      ? []
      : [`  a change of it rebuilds, in this order: ${explanation.reaches.join(", ")}`]),
    `  next: ${sayNext(module, explanation, { failed, seen })}`,
  ].join("\n");
}
