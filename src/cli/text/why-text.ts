import type { ResourceReport } from "../../core/report.ts";
import type { ModuleExplanation } from "../../decide/explain-module.ts";
import { isBehind, type Situation } from "../../decide/situation.ts";
import type { ModuleRecord } from "../../store/modules.ts";
import { describeAge } from "./ages.ts";
import { alignColumns } from "./columns.ts";
import { plainLine } from "./plain.ts";

export interface NodeWhy {
  readonly situation: Situation;
  readonly sends: readonly {
    readonly epoch: number;
    readonly number: number;
    readonly push: string;
    readonly round: number;
    readonly why: string;
    readonly at: string;
  }[];
  readonly reported: {
    readonly outcome: string;
    readonly receivedAt: string;
    readonly troubles: readonly ResourceReport[];
  } | null;
}

export function nodeWhyText(why: NodeWhy, now: Date): string {
  const { situation, sends, reported } = why;
  const findings = situation.all.map((finding) => [
    finding.word.replaceAll("-", " "),
    finding.since === null ? "-" : `since ${describeAge(finding.since, now)}`,
    plainLine(finding.why),
  ]);
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
    `${situation.node} is ${situation.word.replaceAll("-", " ")}, as known ${describeAge(situation.knownAt, now)}`,
    alignColumns(findings, "  "),
    ...(sent.length === 0 ? ["it was never told anything"] : ["last told", alignColumns(sent, "  ")]),
    reported === null
      ? "its host has reported nothing"
      : `its host reported ${reported.outcome} ${describeAge(reported.receivedAt, now)}`,
    ...(troubles.length === 0 ? [] : [alignColumns(troubles, "  ")]),
    `  next: ${isBehind(situation) ? `mesh plan ${situation.node}` : "mesh status --watch"}`,
  ].join("\n");
}

/** No build mends what the source says. */
function mendBroken({ name, repository, branch, path }: ModuleRecord): string {
  return `commit what is missing to ${repository} (branch ${branch}, folder ${path}), or say where it is: mesh module add ${name} --repo ${repository} --path PATH`;
}

export function moduleWhyText(module: ModuleRecord, explanation: ModuleExplanation | null, now: Date): string {
  const known = `as compared ${describeAge(module.comparedAt, now)}`;
  if (explanation === null) {
    const why = module.standingWhy === "" ? "its source was not looked at yet" : plainLine(module.standingWhy);
    const next = module.standing === "broken" ? mendBroken(module) : `mesh build ${module.name}`;
    return `${module.name} is ${module.standing.replaceAll("-", " ")}, ${known}\n  ${why}\n  next: ${next}`;
  }
  const edges = [
    ...explanation.dependsOn.map((edge) => ["built against", edge.module, edge.kind, plainLine(edge.at, 120)]),
    ...explanation.dependents.map((edge) => ["built into", edge.module, edge.kind, plainLine(edge.at, 120)]),
  ];
  return [
    `${module.name} is ${explanation.standing.replaceAll("-", " ")}, ${known}`,
    ...explanation.why.map((line) => `  ${plainLine(line)}`),
    ...(edges.length === 0
      ? ["  no build edges: nothing of this mesh is imported, and nobody imports it"]
      : [alignColumns(edges, "  ")]),
    ...(explanation.reaches.length === 0
      ? []
      : [`  a change of it rebuilds, in this order: ${explanation.reaches.join(", ")}`]),
    `  next: mesh module show ${module.name}`,
  ].join("\n");
}
