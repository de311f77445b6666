import { expectApart } from "../expect-options.ts";
import type { CommandCall, CommandDefinition, CommandResult } from "../command.ts";
import { parseName } from "../arguments.ts";
import { loadBuildPlan } from "../../activities/load-build-facts.ts";
import { readSurroundings } from "../../activities/recorded-surroundings.ts";
import { InputError } from "../../core/errors.ts";
import type { Name } from "../../core/names.ts";
import type { BuildFacts } from "../../decide/build-facts.ts";
import type { BuildPlan } from "../../decide/plan-builds.ts";
import { findPath, type GraphEdge, listGraphEdges, reachEdges } from "../../decide/query-graph.ts";
import { sayCycle } from "../../decide/say-edge.ts";
import { graphDot, graphText, type GraphDocument, pathText } from "../text/graph-text.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Edges are read from the imports in the code (R4): a build edge is compiled against, a test edge only tests need. What a module
was built against, and no import is seen of now, is there too: it is asked when that moves. As the last comparison saw it;
what a module imported before not all of it could be read is there as last known.

Exit code: 0; with --order 2 where imports go round: the cycle is named with the file and line of each step.

Examples:
  mesh graph                           every edge, with the first place in the code that makes it
  mesh graph core --dependents         everything that may be rebuilt after core, and by which imports
  mesh graph --why meshboard core      the way from meshboard to core, import by import
  mesh graph --order                   all modules, dependencies first
  mesh graph --dot | dot -Tsvg         a picture`;

export const graphCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("[module]", "only what it depends on and what depends on it; all when left out")
      .option("--dependents", "only what depends on the module, at any distance")
      .option("--dependencies", "only what the module depends on, at any distance")
      .option("--kind <kind>", "only edges of this kind: build or test")
      .option("--why <modules...>", "two modules: by which imports the first depends on the second")
      .option("--order", "the order in which modules are built")
      .option("--dot", "for Graphviz")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const asked = parseQuestion(call);
    return await withMesh(call, async ({ db, mesh, setup }) => {
      const surroundings = await readSurroundings(db, mesh, {
        now: call.context.now(),
        lostAfterMs: setup.settings.lostAfterMs,
      });
      if (surroundings === null)
        throw new InputError(
          "no source was compared yet, so no edge is known",
          "start the controller, then mesh build",
        );
      const { facts, plan } = await loadBuildPlan(db, mesh, surroundings);
      for (const name of [asked.module ?? [], asked.why ?? []].flat())
        if (!facts.modules.has(name))
          throw new InputError(`there is no module ${name}, or its source was never read`, "see mesh module list");
      return answer(asked, facts, plan);
    });
  },
};

interface Question {
  readonly module: Name | null;
  readonly directions: readonly ("dependencies" | "dependents")[];
  readonly kind: "build" | "test" | undefined;
  readonly why: readonly [Name, Name] | null;
  readonly order: boolean;
  readonly dot: boolean;
}

function parseQuestion(call: CommandCall): Question {
  const { args, options } = call;
  expectApart(call, ["why", ["order", "dot", "dependents", "dependencies"]], ["dot", ["order"]]);
  if (options["dot"] === true && options.json === true)
    throw new InputError("--dot and --json do not go together", "give one of them");
  if (options["why"] !== undefined && args[0] !== undefined)
    throw new InputError("--why names its two modules itself", "mesh graph --why meshboard core");
  const module = args[0] === undefined ? null : parseName("module", args[0]);
  const { kind, dependents, dependencies } = options;
  if (kind !== undefined && kind !== "build" && kind !== "test")
    throw new InputError(`--kind ${JSON.stringify(kind)} is no kind of edge`, "give build or test");
  if (module === null && (dependents === true || dependencies === true))
    throw new InputError("--dependents and --dependencies are about one module", "mesh graph MODULE --dependents");
  const only = [
    ...(dependencies === true ? (["dependencies"] as const) : []),
    ...(dependents === true ? (["dependents"] as const) : []),
  ];
  return {
    module,
    directions: only.length === 0 ? ["dependencies", "dependents"] : only,
    kind,
    why: parseWhy(options["why"]),
    order: options["order"] === true,
    dot: options["dot"] === true,
  };
}

function parseWhy(given: unknown): readonly [Name, Name] | null {
  if (given === undefined) return null;
  const names = Array.isArray(given) ? given.map((name) => parseName("module", name)) : [];
  const [from, to] = names;
  if (from === undefined || to === undefined || names.length !== 2)
    throw new InputError("--why wants two modules", "mesh graph --why meshboard core");
  return [from, to];
}

function answer(asked: Question, facts: BuildFacts, plan: BuildPlan): CommandResult {
  const all = listGraphEdges(facts, asked.kind);
  const edges = selectEdges(asked, all);
  const shown = new Set(asked.why ?? selectModules(asked, edges, [...facts.modules.keys()]));
  const cycles = plan.cycles
    .filter((cycle) => cycle.some((module) => shown.has(module)))
    .map((cycle) => sayCycle(facts.modules, cycle));
  if (asked.why !== null) {
    const path = findPath(all, ...asked.why);
    const document: GraphDocument = { module: null, edges: path ?? [], cycles, path };
    return { code: 0, document: { ...document }, text: pathText(...asked.why, path) };
  }
  const document: GraphDocument = {
    module: asked.module,
    edges,
    ...(asked.kind === undefined ? {} : { kind: asked.kind }),
    cycles,
    ...(asked.order ? { order: selectModules(asked, edges, plan.order) } : {}),
  };
  return {
    code: asked.order && cycles.length > 0 ? 2 : 0,
    document: { ...document },
    text: asked.dot ? graphDot(edges, selectModules(asked, edges, plan.order)) : graphText(document),
  };
}

function selectEdges({ module, directions }: Question, all: readonly GraphEdge[]): readonly GraphEdge[] {
  if (module === null) return all;
  const wanted = new Set(directions.flatMap((direction) => reachEdges(all, module, direction)));
  return all.filter((edge) => wanted.has(edge));
}

function selectModules({ module }: Question, edges: readonly GraphEdge[], order: readonly Name[]): Name[] {
  if (module === null) return [...order];
  const wanted = new Set([module, ...edges.flatMap(({ from, to }) => [from, to])]);
  return order.filter((name) => wanted.has(name));
}
