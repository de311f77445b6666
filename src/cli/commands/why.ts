import type { CommandDefinition, CommandResult } from "../command.ts";
import { parseName } from "../arguments.ts";
import { type BuildSurroundings, loadBuildPlan } from "../../activities/load-build-facts.ts";
import { readSurroundings } from "../../activities/recorded-surroundings.ts";
import { InputError } from "../../core/errors.ts";
import type { Name } from "../../core/names.ts";
import { sayStopped } from "../../decide/judge-claim.ts";
import { buildKey } from "../../decide/build-facts.ts";
import { knowledgeCode } from "../../decide/judge-source.ts";
import { explainByKnowledge, explainModule, type ModuleExplanation } from "../../decide/explain-module.ts";
import { listAssignments } from "../../store/assignments.ts";
import { listBuildsUnderWay } from "../../store/builds-under-way.ts";
import { listBuilds, listBuildsByInputs } from "../../store/builds.ts";
import { listSends } from "../../store/declarations.ts";
import { listModuleLabels } from "../../store/module-labels.ts";
import { getModule, type ModuleRecord } from "../../store/modules.ts";
import { readStop } from "../../store/stop.ts";
import { loadMeshView } from "../../store/situations.ts";
import { findHeldUp, heldUpText } from "../find-held-up.ts";
import { exitCodeOf, worstCode } from "../../decide/exit-code.ts";
import { type KnownSources, knowSources } from "../know-sources.ts";
import { findMissingValues } from "../find-missing-values.ts";
import type { MeshConnection } from "../mesh-connection.ts";
import { situationLimits } from "../situation-limits.ts";
import { labelsOf } from "../text/label-text.ts";
import { type FailedBuild, nodeWhyText, moduleWhyText, type NodeWhy, type WhyLabels } from "../text/why-text.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Of a module: how its artifact stands to its source, by which imports it is built against what, and what would be rebuilt
after it. Of a node: everything that holds about it, what it was last sent and for what reason, what its host reads back.

Exit code: 0 when it is explained, whatever it says: mesh status exits by how the mesh stands. 1 while a newer commit of its
source is being compared, 3 when how it stands cannot be told.

Examples:
  mesh why meshboard
  mesh why node-a`;

const sendsShown = 3;
const buildsLookedAt = 10;

export const whyCommand: CommandDefinition = {
  configure: (command) => {
    command.argument("<subject>", "a module or a node").addHelpText("after", help);
  },
  run: async (call) => {
    const subject = parseName("module or node", call.args[0]);
    return await withMesh(call, async (connection) => {
      const sources = await knowSources(connection);
      const node = await whyNode(connection, subject, sources);
      const module = await whyModule(connection, subject, sources);
      if (node === null && module === null)
        throw new InputError(`there is no node or module ${subject}`, "see mesh status");
      const stopped = await readStop(connection.db, connection.mesh);
      const stop = stopped === null ? undefined : `${sayStopped(connection.mesh, stopped.why)}\n  next: mesh recover`;
      return {
        code: worstCode([module?.code ?? 0, node?.code ?? 0]),
        document: { ...module?.document, ...node?.document, stopped },
        text: [module?.text, node?.text, stop].filter((text) => text !== undefined).join("\n\n"),
      };
    });
  },
};

type Part = Pick<CommandResult, "code" | "document" | "text"> | null;

async function whyModule(
  connection: MeshConnection,
  name: Name,
  { now, of, branchOf, remedy }: KnownSources,
): Promise<Part> {
  const { db, mesh, setup } = connection;
  const record = await getModule(db, mesh, name);
  if (record === null) return null;
  const { lostAfterMs } = setup.settings;
  const surroundings = await readSurroundings(db, mesh, { now, lostAfterMs });
  const explained = surroundings === null ? null : await explainNow(connection, name, surroundings);
  const source = of(name);
  const explanation = explained === null ? null : explainByKnowledge(explained, source);
  const lastFitCommit = await readLastFitCommit({ db, mesh }, record);
  const standing = explanation?.standing ?? record.standing;
  const failed = await readFailedBuild({ db, mesh }, record, { standing, lastFitCommit });
  const unseen = record.standingWhy === "" ? "its source was not looked at yet" : record.standingWhy;
  const said = explanation ?? { module: name, standing: record.standing, why: [unseen] };
  const [last] = await listBuilds(db, mesh, name, 1);
  const findings = { source: record.findings, build: last?.findings ?? [] };
  const labels = await readLabels({ db, mesh }, name, explanation);
  const heldUp = await findHeldUp(connection, name, now);
  const seen = { lookedAt: branchOf(name)?.lookedAt ?? null, source, remedy };
  const text = moduleWhyText(record, explanation, now, { failed, lastFitCommit, findings, labels, seen });
  return {
    code: knowledgeCode(said.standing, source),
    document: { module: { ...said, source, failed, findings, ...labels, heldUp } },
    text: [text, heldUpText(name, heldUp)].filter((part) => part !== undefined).join("\n\n"),
  };
}

/** By what runs now, as a plan of the controller goes by what it runs itself. */
async function explainNow(
  { db, mesh }: Pick<MeshConnection, "db" | "mesh">,
  name: Name,
  surroundings: BuildSurroundings,
): Promise<ModuleExplanation | null> {
  const underWay = await listBuildsUnderWay(db, mesh, surroundings);
  const running = new Set([...underWay.values()].map(({ module, inputs }) => buildKey(module, inputs)));
  return explainModule((await loadBuildPlan(db, mesh, { ...surroundings, running })).facts, name);
}

async function readLabels(
  { db, mesh }: Pick<MeshConnection, "db" | "mesh">,
  name: Name,
  explanation: ModuleExplanation | null,
): Promise<WhyLabels> {
  const labels = new Map((await listModuleLabels(db, mesh)).map((one) => [one.module, one]));
  const against = new Set((explanation?.dependsOn ?? []).map((edge) => edge.module));
  return {
    ...labelsOf(labels.get(name)),
    unsteady: [...against].filter((one) => (labels.get(one)?.notReproducibleSince ?? null) !== null).toSorted(),
  };
}

/** The build that did not come out fit, and what is kept instead; null where the module does not stand so. */
async function readFailedBuild(
  { db, mesh }: Pick<MeshConnection, "db" | "mesh">,
  module: ModuleRecord,
  { standing, lastFitCommit }: Pick<ModuleRecord, "standing"> & Pick<FailedBuild, "lastFitCommit">,
): Promise<FailedBuild | null> {
  if (standing !== "unfit" && standing !== "outstanding") return null;
  const builds = await listBuilds(db, mesh, module.name, buildsLookedAt);
  const build = builds.find((one) => one.inputs === module.wantedInputs) ?? builds[0];
  if (build === undefined) return null;
  return {
    commit: build.commit,
    stage: build.stage,
    message: build.message,
    logTail: build.logTail,
    retry:
      build.state === "outstanding" && build.class !== null
        ? { class: build.class, attempts: build.attempts, at: build.nextTryAt }
        : null,
    lastFitCommit,
  };
}

async function readLastFitCommit(
  { db, mesh }: Pick<MeshConnection, "db" | "mesh">,
  { name, fitInputs }: Pick<ModuleRecord, "name" | "fitInputs">,
): Promise<string | null> {
  const fit = fitInputs === null ? [] : await listBuildsByInputs(db, mesh, [fitInputs]);
  return fit.find((one) => one.module === name)?.commit ?? null;
}

async function whyNode(connection: MeshConnection, name: Name, { now, remedy }: KnownSources): Promise<Part> {
  const { db, mesh, setup } = connection;
  const view = await loadMeshView(db, mesh, { now: now.toISOString(), limits: situationLimits(setup) });
  const situation = view.situations.get(name);
  if (situation === undefined) return null;
  const account = view.accounts.get(name);
  const why: NodeWhy = {
    situation,
    assignments: (await listAssignments(db, mesh))
      .filter((one) => one.node === name)
      .map(({ module, config, providers }) => ({ module, config, providers })),
    remedy:
      situation.word === "cannot-tell"
        ? remedy
        : await findMissingValues(
            connection,
            situation.all.filter((finding) => finding.word === "not-worked-out").map((finding) => finding.why),
          ),
    sends: (await listSends(db, mesh, name, sendsShown)).map(({ order, push, round, why: reason, issuedAt }) => ({
      ...order,
      push,
      round,
      why: reason,
      at: issuedAt,
    })),
    refusedReports: view.nodes.get(name)?.refusedReports ?? 0,
    reportUnreadable: view.unread.has(name),
    reported:
      account === undefined
        ? null
        : {
            outcome: account.outcome,
            receivedAt: account.receivedAt,
            troubles: account.report.resources.filter((one) => one.state !== "applied" || one.drift !== undefined),
          },
  };
  const code = situation.word === "cannot-tell" || situation.awaits === "comparison" ? exitCodeOf([situation]) : 0;
  return { code, document: { node: why }, text: nodeWhyText(why, now) };
}
