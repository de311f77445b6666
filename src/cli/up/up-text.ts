import { basename } from "node:path";
import type { StatusDocument } from "../status/build-status.ts";
import { describeDuration } from "../../core/durations.ts";
import { quoteWord } from "../text/quote-word.ts";
import { alignColumns } from "../text/columns.ts";
import { plainLine } from "../text/plain.ts";
import { sayEffect } from "../text/say-effect.ts";
import { moduleLines } from "../text/status-text.ts";
import { type PushDocument, reasonOf } from "../text/push-text.ts";

export interface UpDocument {
  readonly mesh: string;
  readonly state: string;
  readonly readyMs: number;
  /** Sentences; empty when everything is as it should be. */
  readonly troubles: readonly string[];
  readonly modules: StatusDocument["modules"];
  readonly nodes: StatusDocument["nodes"];
  /** The push of node-a: at this start, or as recorded at an earlier one. */
  readonly push: PushDocument | null;
  /** False: nothing was sent at this start. */
  readonly sentNow: boolean;
  readonly addresses: {
    readonly example: string | null;
    readonly temporalUi: string | null;
    readonly push: string | null;
    readonly controller: string;
  };
  /** Where the person edits; null without examples. */
  readonly work: string | null;
}

export function upText(document: UpDocument, now: Date): string {
  const { addresses, push, work } = document;
  const rows = [
    ["example", addresses.example],
    ["Temporal UI", addresses.push ?? addresses.temporalUi],
    ["controller", addresses.controller],
    ["work copy", work],
    ["state", document.state],
  ].flatMap(([name, value]) => (name == null || value == null ? [] : [[name, value]]));
  return [
    `mesh ${document.mesh} is up (${describeDuration(document.readyMs)})`,
    ...(document.troubles.length === 0 ? [] : ["", ...document.troubles.map((trouble) => `! ${plainLine(trouble)}`)]),
    ...(document.modules.length === 0 ? [] : ["", ...document.modules.flatMap((module) => moduleLines(module, now))]),
    ...(push === null ? [] : ["", ...pushLines(push, document.sentNow)]),
    "",
    alignColumns(rows),
    "",
    ...nextLines(document),
    "Ctrl-C ends everything that this command started, and nothing else.",
  ].join("\n");
}

function pushLines(push: PushDocument, sentNow: boolean): string[] {
  const settled = push.outcome === "settled" ? "settled" : push.outcome.replaceAll("-", " ");
  // What an earlier one came to is what was recorded then: its nodes may have been told something else since.
  if (!sentNow) {
    const rounds = push.rounds === 0 ? "" : ` in ${push.rounds} ${push.rounds === 1 ? "round" : "rounds"}`;
    const rows = push.nodes.map((node) => [node.node, roundOf(node), plainLine(reasonOf(node), 300)]);
    return [
      `earlier push of node-a, as recorded (nothing was sent again): ${settled}${rounds}`,
      alignColumns(rows, "  "),
    ];
  }
  const took = push.settledMs === null ? "" : ` in ${describeDuration(push.settledMs)}`;
  const applied = push.appliedMs === null ? "" : `, applied in ${describeDuration(push.appliedMs)}`;
  const rows = push.nodes.map((node) => [
    node.node,
    roundOf(node),
    node.effect === "not-sent" ? node.outcome.replaceAll("-", " ") : sayEffect(node.effect),
    plainLine(reasonOf(node), 300),
  ]);
  return [`push of node-a ${settled}${took}${applied}`, alignColumns(rows, "  ")];
}

function roundOf({ round }: PushDocument["nodes"][number]): string {
  return round === 0 ? "named" : `told in round ${round}`;
}

/** In the folder of the start, commands find `.mesh` by themselves; any other they must be told. */
export function sayState(state: string): string {
  return basename(state) === ".mesh" ? "" : ` --state ${quoteWord(state)}`;
}

function nextLines(document: UpDocument): string[] {
  const state = sayState(document.state);
  if (document.work === null) return ["Try next, in a second terminal:", `  npx mesh status${state}`];
  const work = quoteWord(document.work);
  return [
    "Try next, in a second terminal:",
    `  npx mesh status --watch${state}`,
    `  edit ${document.work}/meshboard/src/heading.ts, then: git -C ${work} commit -am "Say it differently" && git -C ${work} push`,
    `  npx mesh why meshboard${state}`,
  ];
}
