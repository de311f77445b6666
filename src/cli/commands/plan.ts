import type { CommandDefinition } from "../command.ts";
import { parseNames } from "../arguments.ts";
import { diffContent } from "../diff-content.ts";
import { expectNodes } from "../expect-nodes.ts";
import type { MeshConnection } from "../mesh-connection.ts";
import type { Name } from "../../core/names.ts";
import { findMissingValues } from "../find-missing-values.ts";
import type { ExitCode } from "../../decide/exit-code.ts";
import { readStop } from "../../store/stop.ts";
import { inTransaction } from "../../store/transaction.ts";
import { loadWorld } from "../../store/world.ts";
import { readSentContents } from "../read-sent-contents.ts";
import { type Foreseen, simulatePush } from "../simulate-push.ts";
import { type PlanDocument, type PlannedNode, planText } from "../text/plan-text.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Takes the same decisions as a push, on a copy of the records: nothing is numbered, made or sent. + added, - removed,
~ changed. There is no token yet to make a push go ahead only if nothing has moved since.

Exit code: 0 nothing would be sent, 1 something would, 2 a node cannot be worked out or needs a confirmation,
or the mesh is stopped.

Example:
  mesh plan node-a`;

export const planCommand: CommandDefinition = {
  configure: (command) => {
    command.argument("<nodes...>", "the nodes a push would name").addHelpText("after", help);
  },
  run: async (call) => {
    const named = parseNames("node", call.args[0]);
    return await withMesh(call, async (connection) => {
      await expectNodes(connection, named);
      const plan = await planPush(connection, named);
      const remedy = await findMissingValues(
        connection,
        plan.nodes.filter((node) => node.outcome === "not-worked-out").map((node) => node.why),
      );
      return { code: planCode(plan), document: { ...plan }, text: planText(plan, remedy) };
    });
  },
};

async function planPush({ db, mesh }: MeshConnection, named: readonly Name[]): Promise<PlanDocument> {
  const { world, stopped } = await inTransaction(
    db,
    { isolation: "repeatable read", access: "read only" },
    async (tx) => ({ world: await loadWorld(tx, mesh), stopped: await readStop(tx, mesh) }),
  );
  // Outside the transaction, which the server would end: of a large mesh this takes a while. What was sent stays as it was.
  const foreseen = simulatePush(world, named, false);
  const nodes = foreseen.rounds.flat();
  const composed = new Set(nodes.filter(({ content }) => content !== null).map(({ node }) => node));
  const places = [...world.sent].filter(([node]) => composed.has(node)).map(([node, { order }]) => ({ node, order }));
  const before = await readSentContents(db, mesh, places);
  return {
    named,
    settles: foreseen.settles,
    nodes: nodes.map((one) =>
      plannedNode(one, one.content === null ? [] : diffContent(before.get(one.node) ?? null, one.content)),
    ),
    stopped,
  };
}

function plannedNode({ content: _content, mints, ...node }: Foreseen, changes: PlannedNode["changes"]): PlannedNode {
  return {
    ...node,
    mints: mints.map(
      (mint) =>
        `${mint.kind} ${mint.name} for ${mint.consumer.module} on ${mint.provider.module}@${mint.provider.node}`,
    ),
    changes,
  };
}

function planCode(plan: PlanDocument): ExitCode {
  const bad = plan.nodes.some((node) => node.outcome === "not-worked-out" || node.outcome === "needs-confirmation");
  if (bad || !plan.settles || plan.stopped !== null) return 2;
  return plan.nodes.every((node) => node.outcome === "already-current") ? 0 : 1;
}
