import type { Closure } from "../core/artifact.ts";
import type { Digest, Name } from "../core/names.ts";
import { ageMs, describeAge } from "./ages.ts";
import { buildKey, type BuildFacts, type CommitFacts, type MadeBy, type ModuleFacts } from "./build-facts.ts";
import { sayEdge } from "./say-edge.ts";
import { compareText, shortId } from "./short-names.ts";

/** What explanations read. `now`: ages are said as of then; null: they are left out, because the sentence is kept. */
export interface Explaining {
  readonly modules: BuildFacts["modules"];
  readonly makers: BuildFacts["makers"];
  readonly now: string | null;
}

/** A chain is followed this far: longer ones are true of the last that was reached. */
const chainLimit = 50;

/**
 * Why a dependency's artifact is another one, from the commit to the module:
 * `core moved (9c1e… → 3f2a…, commit "…", 12 min ago); mid imports core at src/a.ts:1; page imports mid at src/b.ts:2`.
 */
export function explainMove(
  explaining: Explaining,
  module: ModuleFacts,
  move: { readonly dependency: Name; readonly before: Digest; readonly now: Digest },
): string {
  const edges: string[] = [];
  let at = module;
  let { dependency, before, now } = move;
  for (let length = 0; length < chainLimit; length += 1) {
    edges.unshift(sayEdge(at, dependency));
    const [was, is] = [findMaker(explaining, dependency, before), findMaker(explaining, dependency, now)];
    if (was === null || is === null)
      return [`${dependency} moved (${shortId(before)} → ${shortId(now)})`, ...edges].join("; ");
    const own = explainOwnMove(explaining, dependency, was, is);
    if (own.length > 0) return [...own, ...edges].join("; ");
    const deeper = findMoved(was.closure, is.closure);
    const next = explaining.modules.get(dependency);
    if (deeper === null || next === undefined)
      return [`${dependency} came out otherwise (${shortId(before)} → ${shortId(now)})`, ...edges].join("; ");
    at = next;
    ({ dependency, before, now } = deeper);
  }
  return [`${dependency} moved (${shortId(before)} → ${shortId(now)})`, ...edges].join("; ");
}

/** Which builds an explanation would ask for next: those that made what is not the same in two closures. */
export function findMaker(
  { modules, makers }: Pick<Explaining, "modules" | "makers">,
  module: Name,
  artifact: Digest,
): MadeBy | null {
  const last = modules.get(module)?.lastFit;
  // The newest maker of what is fit now says less than the one that first made it.
  return makers.get(buildKey(module, artifact)) ?? (last?.artifact === artifact ? last : null);
}

/** The first dependency, by name, that two builds of one module do not share. */
export function findMoved(
  was: Closure,
  is: Closure,
): { readonly dependency: Name; readonly before: Digest; readonly now: Digest } | null {
  for (const dependency of Object.keys(is.dependencies).toSorted(compareText)) {
    const [before, now] = [was.dependencies[dependency], is.dependencies[dependency]];
    if (before !== undefined && now !== undefined && before !== now) return { dependency, before, now };
  }
  return null;
}

/** What moved of a module between two builds of it, apart from what it is built against. */
function explainOwnMove(explaining: Explaining, name: Name, was: MadeBy, is: MadeBy): string[] {
  if (was.closure.tree !== is.closure.tree) return [`${name} moved (${sayCommits(was, is, explaining.now)})`];
  return explainSurroundings(was.closure, is.closure).map((reason) => `of ${name}, ${reason}`);
}

/** `9c1e1f0 → 3f2a9c1, commit "Say hello", 12 min ago` */
export function sayCommits(
  was: Pick<MadeBy, "commit" | "moved">,
  is: Pick<MadeBy, "commit" | "moved">,
  now: string | null,
): string {
  const from = shortId(was.moved?.id ?? was.commit);
  const to = shortId(is.moved?.id ?? is.commit);
  return [`${from} → ${to}`, ...sayCommit(is.moved, now)].join(", ");
}

function sayCommit(moved: CommitFacts | null, now: string | null): string[] {
  if (moved === null) return [];
  return [
    ...(moved.subject === null || moved.subject === "" ? [] : [`commit "${moved.subject}"`]),
    ...(now === null || moved.at === null ? [] : [`${describeAge(ageMs(now, moved.at))} ago`]),
  ];
}

/** Everything of a closure that is neither source nor dependency. */
export function explainSurroundings(
  was: Closure,
  now: Pick<Closure, "language" | "toolchain" | "builder" | "thirdParties" | "settings">,
): string[] {
  const reasons: string[] = [];
  if (was.language !== now.language) reasons.push(`its language changed (${was.language} → ${now.language})`);
  if (was.toolchain !== now.toolchain) reasons.push(`the toolchain moved (${was.toolchain} → ${now.toolchain})`);
  if (was.builder !== now.builder) reasons.push(`the builder's rules moved (${was.builder} → ${now.builder})`);
  if (was.thirdParties !== now.thirdParties) reasons.push("its third-party packages moved");
  for (const name of listSettings(was.settings, now.settings)) {
    const [before, after] = [was.settings[name] ?? "not set", now.settings[name] ?? "not set"];
    if (before !== after) reasons.push(`setting ${name} moved (${before} → ${after})`);
  }
  return reasons;
}

/** Of thousands of modules most often nothing is set at all. */
function listSettings(was: Closure["settings"], now: Closure["settings"]): readonly string[] {
  const names = [...Object.keys(was), ...Object.keys(now)];
  return names.length < 2 ? names : [...new Set(names)].toSorted(compareText);
}
