import type { StatusDocument, StatusModule } from "../status/build-status.ts";
import { nextWhereUntold } from "../know-sources.ts";
import { describeDuration } from "../../core/durations.ts";
import { describeAge } from "./ages.ts";
import { alignColumns } from "./columns.ts";
import { sayHeldCommit, sayNotReproducible } from "./label-text.ts";
import { plainLine } from "./plain.ts";
import { boundModules, boundNodes, boundRows, rowsShown } from "./status-rows.ts";
import { noBuildRuns } from "../../decide/build-under-way.ts";
import { sayWord } from "../../decide/say-word.ts";

/**
 * The status for a person. Every row says how old it is. `all`: every row; else of a kind that has many, how many stand how, and
 * those that somebody has to look at.
 */
export function statusText(status: StatusDocument, now: Date, { watched = false, all = false } = {}): string {
  const limit = all ? Infinity : rowsShown;
  const pushes = status.pushes.map((push) => [
    push.push,
    `since ${describeAge(push.since, now)}`,
    plainLine(push.why, 160),
  ]);
  const sections: readonly (readonly [string, readonly (readonly string[])[]])[] = [
    ["runs on", runsOnRows(status)],
    ["said by hosts", noticeRows(status)],
    ["owed", owedRows(status)],
    ["conditions", conditionRows(status, now)],
    ["pushes under way", pushes],
    ["sources", sourceRows(status, now)],
  ];
  const parts = [
    headText(status),
    modulesText(status, now, limit),
    nodesText(status, now, limit),
    ...sections.flatMap(([title, rows]) => section(title, boundRows(rows, limit))),
    ...sayNext(nextCommand(status, watched)),
  ];
  return parts
    .filter((part) => part !== "")
    .join("\n\n")
    .replace(/\n\n {2}next/, "\n  next");
}

function headText(status: StatusDocument): string {
  return [
    `mesh ${status.mesh}, read at ${status.readAt}; ${sayWhoActs(status.controller)}`,
    ...status.standbys.map((one) => `  ${plainLine(one.holder, 80)} stands by`),
    ...sayStop(status),
  ].join("\n");
}

function sayStop({ stopped }: StatusDocument): string[] {
  return stopped === null ? [] : [`STOPPED since ${stopped.since}, nothing is sent: ${plainLine(stopped.why)}`];
}

function sayWhoActs(controller: StatusDocument["controller"]): string {
  if (!controller.runs) return `no controller acts, so nobody looks: ${plainLine(controller.why)}`;
  const holder = plainLine(controller.holder, 80);
  return controller.role === "shell"
    ? `no controller runs: the shell ${holder} ends its push under epoch ${controller.epoch}`
    : `controller ${holder} acts under epoch ${controller.epoch}`;
}

/** The delivery line, and below it what keeps the source from being built, and what else is known of it. */
export function moduleLines(module: StatusDocument["modules"][number], now: Date): string[] {
  const { standing, standingWhy, buildingSince } = module;
  const isBad =
    standing === "broken" || standing === "unfit" || standing === "outstanding" || standing === "cannot-tell";
  const labels = [...sayHeldCommit(module.heldCommit), ...sayNotReproducible(module.notReproducible, now)];
  return [
    module.text,
    ...(isBad && standingWhy !== "" ? [`  ${standing.replace("-", " ")}: ${plainLine(standingWhy, 240)}`] : []),
    ...(standing === "out-of-date" && standingWhy === noBuildRuns ? [`  ${noBuildRuns}`] : []),
    ...(buildingSince === null ? [] : [`  ${plainLine(standingWhy, 240)}, since ${describeAge(buildingSince, now)}`]),
    ...(standing === "current" && module.sourceKnown === "comparing" ? [`  ${plainLine(module.sourceWhy, 240)}`] : []),
    ...(module.findings === null || standing === "broken" ? [] : [`  noticed: ${sayFindings(module.findings)}`]),
    ...labels.map((line) => `  ${line}`),
  ];
}

function sayFindings({ errors, warnings, first }: NonNullable<StatusModule["findings"]>): string {
  const count = errors + warnings;
  return `${plainLine(first, 200)}${count === 1 ? "" : `, and ${count - 1} more (mesh why says all)`}`;
}

function modulesText({ modules }: StatusDocument, now: Date, limit: number): string {
  const { rows, counts, left } = boundModules(modules, limit);
  const lines = rows.flatMap((module) => moduleLines(module, now));
  return [counts, ...lines, left].filter((line) => line !== "").join("\n");
}

function nodesText(status: StatusDocument, now: Date, limit: number): string {
  if (status.nodes.length === 0) return status.modules.length === 0 ? "no nodes and no modules yet" : "";
  const shown = boundNodes(status.nodes, limit);
  const rows = shown.rows.map((node) => [
    node.node,
    [...new Set(node.all.map((finding) => sayWord(finding.word)))].join(", ") || sayWord(node.word),
    node.since === null ? "-" : describeAge(node.since, now),
    describeAge(node.knownAt, now),
    node.told ?? "-",
    plainLine(node.why, 240),
  ]);
  const table = rows.length === 0 ? "" : alignColumns([["NODE", "STANDS", "SINCE", "KNOWN", "TOLD", ""], ...rows]);
  return [shown.counts, table, shown.left].filter((part) => part !== "").join("\n");
}

/** Of one module: its nodes have no rows then, and its exit code is about them. */
function runsOnRows({ subject, nodes, modules }: StatusDocument): string[][] {
  if (subject === undefined || nodes.length > 0) return [];
  return modules.flatMap(({ runsOn }) =>
    runsOn.map(({ node, word, applied }) => [
      node,
      sayWord(word),
      applied ? "read back as applied" : "not read back as applied",
    ]),
  );
}

/** What is no situation of a node, and must be seen all the same: what its host refuses besides. */
function noticeRows(status: StatusDocument): string[][] {
  return status.nodes.flatMap((node) => node.notices.map((notice) => [node.node, plainLine(notice, 300)]));
}

function owedRows(status: StatusDocument): string[][] {
  return status.owed.map((debt) => [
    `to ${debt.node}`,
    `since ${describeDuration(debt.ageMs)}`,
    plainLine(
      `${debt.what}${debt.told ? ", it was told and has not confirmed" : ", it was not told yet"}${debt.remedy === null ? "" : ` → ${debt.remedy}`}`,
    ),
  ]);
}

function conditionRows(status: StatusDocument, now: Date): string[][] {
  return status.conditions.map((condition) => [
    `${condition.urgent ? "! " : ""}${condition.code}`,
    plainLine(condition.subject, 80),
    `since ${describeAge(condition.since, now)}, ${condition.count === 1 ? "once" : `${condition.count} times`}`,
    plainLine(`${condition.message}${condition.remedy === "" ? "" : ` → ${condition.remedy}`}`),
  ]);
}

function sourceRows(status: StatusDocument, now: Date): string[][] {
  return status.sources.map((source) => [
    source.repository,
    source.branch,
    source.commit?.slice(0, 7) ?? "-",
    source.failure === null
      ? `looked at ${describeAge(source.lookedAt, now)}`
      : `not seen since ${describeAge(source.failingSince, now)}: ${plainLine(source.failure, 160)}`,
  ]);
}

function section(title: string, rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : [`${title}\n${alignColumns(rows, "  ")}`];
}

function sayNext(command: string | null): string[] {
  return command === null ? [] : [`  next: ${command}`];
}

/** Null: who watches already sees what comes. */
function nextCommand(status: StatusDocument, watched: boolean): string | null {
  const { controller } = status;
  // Nothing starts without room, and what runs ends.
  if (status.conditions.some(({ code, urgent }) => code === "disk-full" && urgent))
    return "mesh conditions: a disk is full, and needs room first";
  if (!controller.runs || controller.role === "shell")
    return "npm start (or mesh serve): nothing moves without a controller";
  if (status.stopped !== null) return "mesh recover";
  const behind = status.nodes.filter((node) => node.behind);
  if (behind.length === 1) return `mesh plan ${behind[0]?.node}   then   mesh push ${behind[0]?.node}`;
  if (behind.length > 1) return "mesh push --behind";
  const bad = status.modules.find((module) => module.standing === "unfit" || module.standing === "broken");
  if (bad !== undefined) return `mesh ${bad.standing === "broken" ? "why" : "log"} ${bad.module}`;
  const isUntold = status.modules.some((one) => one.standing === "cannot-tell" && one.sourceStale);
  // Of a source: what keeps it from being looked at or compared, and not the same sentence once more.
  if (isUntold) return nextWhereUntold({ acts: true, conditions: status.conditions.length });
  const untold = status.modules.find((module) => module.standing === "cannot-tell");
  if (untold !== undefined) return `mesh why ${untold.module}`;
  const awaited = status.nodes.find(({ awaits }) => awaits === "enrolment");
  if (awaited !== undefined) return `mesh host token ${awaited.node}   then   mesh host enrol on that machine`;
  const node = status.nodes.find((one) => one.word !== "current");
  if (node !== undefined) return `mesh why ${node.node}`;
  // The one thing that is wrong, and it does not go by itself.
  if (status.conditions.some(({ urgent }) => urgent)) return "mesh conditions";
  const [only, ...others] = status.modules;
  // One module's status has no nodes in it.
  if (status.subject !== undefined && only !== undefined && others.length === 0) return `mesh why ${only.module}`;
  if (status.nodes.length === 0) return "mesh node add NAME --address ADDRESS";
  return watched ? null : "mesh status --watch";
}
