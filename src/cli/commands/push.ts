import type { CommandCall, CommandDefinition } from "../command.ts";
import { parseNames, parseSeconds, parseWhy } from "../arguments.ts";
import { connectToTemporal, type Controller, expectController, type PushRequest } from "../controller.ts";
import { expectApart } from "../expect-options.ts";
import { expectNodes } from "../expect-nodes.ts";
import { expectNotStopped } from "../expect-not-stopped.ts";
import { findMissingValues } from "../find-missing-values.ts";
import { InputError, UnavailableError } from "../../core/errors.ts";
import type { Name } from "../../core/names.ts";
import type { MeshConnection } from "../mesh-connection.ts";
import { followPush, progressWriter, startPushOnly } from "../push/follow-push.ts";
import { pushCode } from "../push/push-code.ts";
import { createShellDelivery } from "../push/shell-delivery.ts";
import { pushText } from "../text/push-text.ts";
import { whoAsks } from "../who-asks.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Named nodes move to the newest fit build. Every other node that this changes (a database to be made for one of them, an
address that moved) is told in the same push, with the reason, at the builds it has. Nodes that were behind for reasons
of their own are left alone: that is --behind.

--confirm-removal is asked for where a node would lose two modules or more, and more than half of what it was last sent; of a
node whose last send was not recorded in full, where nothing would be left on it. One module less never asks.

Where no controller runs, this shell takes the lease, ends the push by itself and gives the lease back: nothing is built
meanwhile, and hosts fetch what they were told when a controller runs. After Ctrl-C the push goes on under the next one.

Exit code: 0 settled and applied everywhere it was told, 1 pending, 2 failed, refused or did not settle, 3 cannot tell.

Examples:
  mesh plan node-a            first see what it would do
  mesh push node-a
  mesh push --behind --timeout 300`;

export const pushCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("[nodes...]", "the nodes to bring up to date")
      .option("--behind", "every node that mesh status calls behind")
      .option("--all", "the whole mesh")
      .option("--confirm-removal", "go ahead where a named node would lose most of what it runs")
      .option("--why <text>", "a reason, kept with the push")
      .option("--no-wait", "only start it")
      .option("--timeout <seconds>", "how long to wait until it is applied", "60")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const { options } = call;
    const named = parseNames("node", call.args[0]);
    const kind = kindOf(named, options["behind"] === true, options["all"] === true);
    if (options["wait"] === false) expectApart(call, ["wait", ["timeout"]]);
    const timeoutMs = parseSeconds("--timeout", options["timeout"], { min: 1, max: 86_400 });
    return await withMesh(call, async (connection) => {
      const say = progressWriter(call.context, false);
      const controller = await openRoad(call, connection, named).catch((error: unknown) => {
        // What did not answer may have been asked to begin one, for all that a person can see.
        if (error instanceof UnavailableError) say("mesh: no push was begun");
        throw error;
      });
      try {
        const request: PushRequest = {
          kind,
          named,
          requestedBy: whoAsks(),
          why: parseWhy(call.options["why"], 200),
          confirmRemoval: options["confirmRemoval"] === true,
        };
        const document =
          options["wait"] === false
            ? await startPushOnly(connection, controller, request)
            : await followPush(connection, controller, request, {
                timeoutMs,
                say,
                interrupt: call.context.listenForInterrupt(),
                delivery: createShellDelivery(connection, say, call.context),
              });
        const refused = document.nodes.filter((node) => node.outcome === "not-worked-out").map((node) => node.why);
        const remedy = await findMissingValues(connection, refused);
        return { code: pushCode(document), document: { ...document }, text: pushText(document, remedy) };
      } finally {
        await controller.close();
      }
    });
  },
};

/** The way to the controller, once it is seen that a push can be asked for at all. */
async function openRoad(
  { options }: CommandCall,
  connection: MeshConnection,
  named: readonly Name[],
): Promise<Controller> {
  await expectNodes(connection, named);
  await expectNotStopped(connection);
  if (options["wait"] === false)
    await expectController(connection, "leave --no-wait out, and this shell delivers it; or start one: npm start");
  return await connectToTemporal(connection);
}

function kindOf(named: readonly string[], behind: boolean, all: boolean): PushRequest["kind"] {
  const given = [named.length > 0, behind, all].filter(Boolean).length;
  if (given === 0) throw new InputError("say what to push: node names, --behind or --all", "see mesh status");
  if (given > 1) throw new InputError("node names, --behind and --all do not go together", "give one of them");
  return behind ? "behind" : all ? "all" : "named";
}
