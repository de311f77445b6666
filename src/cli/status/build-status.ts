import { remedyOfDebt } from "../../decide/remedy-of-debt.ts";
import type { Condition } from "../../core/condition.ts";
import type { Name } from "../../core/names.ts";
import { standByBuild } from "../../decide/build-under-way.ts";
import { wordOfModule } from "../../decide/word-of-module.ts";
import { deliveryLine, type DeliveryLine, type DeliveryNode } from "../../decide/delivery-line.ts";
import { isModuleApplied } from "../../decide/is-module-applied.ts";
import { sayPlace } from "../../decide/say-edge.ts";
import { judgeSource, type SourceKnowledge, standByKnowledge } from "../../decide/judge-source.ts";
import { describeOrder } from "../../decide/order.ts";
import { isBehind, type Situation } from "../../decide/situation.ts";
import type { ModuleRecord } from "../../store/modules.ts";
import type { Stop } from "../../store/stop.ts";
import type { ControllerState } from "../controller-state.ts";
import { labelsOf } from "../text/label-text.ts";
import { plainLine } from "../text/plain.ts";
import { indexStatus, type StatusIndex } from "./index-status.ts";
import type { StatusRecords } from "./load-status.ts";

export interface StatusModule extends DeliveryLine, ReturnType<typeof labelsOf> {
  readonly standing: ModuleRecord["standing"];
  readonly standingWhy: string;
  /** When the build that runs began; null: it is not *building*. */
  readonly buildingSince: string | null;
  /** What readers noticed in its source: how often, and the worst of it; null: nothing. `mesh why` has all of it. */
  readonly findings: { readonly errors: number; readonly warnings: number; readonly first: string } | null;
  /** The newest look at its branch; null: never. */
  readonly sourceLookedAt: string | null;
  /** Nobody can tell that its branch is as it was compared. */
  readonly sourceStale: boolean;
  /** What is known of its branch now; `comparing`: a newer tip was seen a moment ago. */
  readonly sourceKnown: SourceKnowledge["kind"];
  readonly sourceWhy: string;
  /** Every node it is assigned to or was last sent to; `applied`: its host read back the newest fit build of it. */
  readonly runsOn: readonly { readonly node: Name; readonly word: Situation["word"]; readonly applied: boolean }[];
}

export interface StatusNode extends Situation {
  /** Acted upon by `push --behind`. */
  readonly behind: boolean;
  readonly lastContactAt: string | null;
  /** Reports of it that were refused and not kept, since it was registered: late ones, and those of a second writer (R38). */
  readonly refusedReports: number;
  /** What it was last told, as `epoch.number`; null: never told. */
  readonly told: string | null;
}

export interface StatusDocument {
  readonly mesh: Name;
  /** The node or module it was narrowed to; not there: all of the mesh. */
  readonly subject?: string;
  readonly readAt: string;
  readonly controller: ControllerState;
  /** Controllers that wait for the lease, as long as they are heard. */
  readonly standbys: readonly { readonly holder: string; readonly since: string; readonly seenMsAgo: number }[];
  /** Nothing is sent until a person recovers; null: the mesh is not stopped. */
  readonly stopped: Stop | null;
  readonly modules: readonly StatusModule[];
  readonly nodes: readonly StatusNode[];
  readonly owed: readonly {
    readonly node: Name;
    readonly what: string;
    readonly since: string;
    readonly ageMs: number;
    readonly told: boolean;
    /** What a person has to do; null: its host confirms it when it reports. */
    readonly remedy: string | null;
  }[];
  readonly conditions: readonly Condition[];
  readonly sources: readonly {
    readonly repository: Name;
    readonly branch: string;
    readonly commit: string | null;
    readonly lookedAt: string | null;
    readonly failingSince: string | null;
    readonly failure: string | null;
  }[];
  readonly pushes: readonly { readonly push: string; readonly since: string; readonly why: string }[];
}

/** The mesh's status as one value. Pure: the words are `decide`'s. */
export function buildStatus(records: StatusRecords): StatusDocument {
  const { view } = records;
  const nodes = [...view.nodes.keys()].toSorted().flatMap((name) => statusOfNode(records, name));
  const width = records.modules.reduce((most, { name }) => Math.max(most, name.length), 0);
  const names = nodes.map(({ node }) => node);
  const known: Known = {
    records,
    index: indexStatus(records, names),
    nodes: new Map(nodes.map((one) => [one.node, one])),
  };
  return {
    mesh: records.mesh,
    readAt: view.readAt,
    controller: records.controller,
    standbys: records.standbys.map(({ holder, since, seenMsAgo }) => ({ holder, since, seenMsAgo })),
    stopped: records.stop,
    modules: records.modules.map((module) => statusOfModule(known, module, width)),
    nodes,
    owed: records.owed.map(({ provision, withdrawnAt, ageMs, told }) => ({
      node: provision.provider.node,
      what: `${provision.kind} ${provision.name} of ${provision.consumer.module} on ${provision.consumer.node} is to be withdrawn`,
      since: withdrawnAt,
      ageMs,
      told,
      remedy: remedyOfDebt({
        provision,
        node: view.world.nodes.get(provision.provider.node),
        sent: view.world.sent.get(provision.provider.node),
        isApplied: view.situations.get(provision.provider.node)?.word === "current",
      }),
    })),
    conditions: records.conditions,
    sources: records.heads.map(({ repository, branch, commit, lookedAt, failingSince, failure }) => ({
      repository,
      branch,
      commit,
      lookedAt,
      failingSince,
      failure,
    })),
    pushes: records.openPushes.map(({ id, openedAt, why }) => ({ push: id, since: openedAt, why })),
  };
}

function statusOfNode({ view }: StatusRecords, name: Name): StatusNode[] {
  const situation = view.situations.get(name);
  const sent = view.sent.get(name);
  if (situation === undefined) return [];
  return [
    {
      ...situation,
      behind: isBehind(situation),
      lastContactAt: view.nodes.get(name)?.lastContactAt ?? null,
      refusedReports: view.nodes.get(name)?.refusedReports ?? 0,
      told: sent === undefined ? null : describeOrder(sent.order),
    },
  ];
}

interface Known {
  readonly records: StatusRecords;
  readonly index: StatusIndex;
  readonly nodes: ReadonlyMap<Name, StatusNode>;
}

function statusOfModule({ records, index, nodes }: Known, module: ModuleRecord, width: number): StatusModule {
  const build = index.fitBuildOf(module);
  const underWay = records.underWay.get(module.name) ?? null;
  const deliveries = index.nodesOf(module.name).flatMap((name) => {
    const node = nodes.get(name);
    return node === undefined ? [] : [deliveryNode(records, module.name, node)];
  });
  const head = index.headOf(module);
  // The rule that nodes and `mesh why` go by too.
  const known = judgeSource(head, { now: records.view.readAt, listening: records.listening, limits: records.limits });
  const { standing, standingWhy } = standByKnowledge(
    standByBuild(module.name, standingNow(module, build), underWay),
    known,
  );
  const line = deliveryLine(
    {
      module: module.name,
      sourceCommit: module.sourceCommit,
      standing,
      // A reason may quote a repository's file names, and the line is shown as it is.
      standingWhy: plainLine(standingWhy, 240),
      fit:
        module.fitArtifact === null || build === undefined
          ? null
          : { artifact: module.fitArtifact, commit: build.commit },
      // Changes of its source that comparisons saw: fast commits between two looks are one of them.
      behindBy: standing === "current" ? 0 : countMoves(module, build?.moves ?? null),
      waitingFor: [],
      nodes: deliveries,
    },
    width,
  );
  return {
    ...line,
    standing,
    standingWhy: whyWithPlace({ ...module, standing, standingWhy }),
    buildingSince: standing === "building" ? (underWay?.startedAt ?? null) : null,
    findings: countFindings(module),
    ...labelsOf(index.labelsOf(module.name)),
    sourceLookedAt: head?.lookedAt ?? null,
    sourceStale: known.kind === "cannot-tell",
    sourceKnown: known.kind,
    sourceWhy: known.why,
    runsOn: deliveries.map(({ node, word, declared, applied }) => ({
      node,
      word,
      applied: applied && declared === module.fitArtifact,
    })),
  };
}

/** A look writes what the sources say first, and how modules stand by it a moment later. */
function standingNow(
  module: ModuleRecord,
  build: StatusRecords["fitBuilds"][number] | undefined,
): Pick<ModuleRecord, "standing" | "standingWhy"> {
  const { standing, standingWhy, tree } = module;
  if (standing !== "current" || build === undefined || tree === null || build.closure.tree === tree)
    return { standing, standingWhy };
  return { standing: "out-of-date", standingWhy: "its source moved, and what follows from it is being worked out" };
}

function countMoves(module: ModuleRecord, moves: number | null): number | null {
  return moves === null ? null : Math.max(0, module.moves - moves);
}

function countFindings({ findings }: ModuleRecord): StatusModule["findings"] {
  const errors = findings.filter((finding) => finding.severity === "error").length;
  const first = findings.find((finding) => finding.severity === "error") ?? findings[0];
  if (first === undefined) return null;
  return { errors, warnings: findings.length - errors, first: `${sayPlace(first)} ${first.message}` };
}

/** A source that cannot be built: the reason, with the first place in it that says so where the reason names none. */
function whyWithPlace({
  standing,
  standingWhy,
  findings,
}: Pick<ModuleRecord, "standing" | "standingWhy" | "findings">): string {
  if (standing !== "broken") return standingWhy;
  const first = findings.find((finding) => finding.severity === "error") ?? findings[0];
  if (first === undefined || standingWhy.includes(sayPlace(first))) return standingWhy;
  const place = sayPlace(first);
  return standingWhy.includes(first.message) || standingWhy === ""
    ? `${first.message} (${place})`
    : `${standingWhy}; ${place} ${first.message}`;
}

/** Of a node that it is assigned to or was last sent to. */
function deliveryNode({ view }: StatusRecords, module: Name, node: StatusNode): DeliveryNode {
  const sent = view.sent.get(node.node);
  const account = view.accounts.get(node.node);
  const facts = account === undefined ? null : { ...account, resources: account.report.resources };
  const applied = sent !== undefined && isModuleApplied(module, sent, facts);
  // Another module of the node may stand otherwise (R31).
  const word = applied ? node.word : wordOfModule(module, node.word, facts);
  return { node: node.node, declared: sent?.builds?.[module] ?? null, word, applied };
}
