import type { CommandDefinition } from "../command.ts";
import { parseName, parseSeconds } from "../arguments.ts";
import { connectToTemporal } from "../controller.ts";
import { expectNodes } from "../expect-nodes.ts";
import { expectNotStopped } from "../expect-not-stopped.ts";
import { findMissingValues } from "../find-missing-values.ts";
import { followPush, progressWriter } from "../push/follow-push.ts";
import { listLeft } from "../push/read-push.ts";
import { pushCode } from "../push/push-code.ts";
import { createShellDelivery } from "../push/shell-delivery.ts";
import { pushText } from "../text/push-text.ts";
import { whoAsks } from "../who-asks.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
The first word to a new node, and the way to bring one node up to date by hand. Takes the same road as a push of that
one node: numbered, signed and recorded in one commit. Nobody else is told: where it changes what another node should be, the
output names that node, mesh status calls it behind, and mesh push tells it. Without a controller this shell delivers by
itself, as mesh push does.

Example:
  mesh declare node-b`;

export const declareCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("<node>", "the node to tell")
      .option("--timeout <seconds>", "how long to wait until it is applied", "60")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const node = parseName("node", call.args[0]);
    const timeoutMs = parseSeconds("--timeout", call.options["timeout"], { min: 1, max: 86_400 });
    return await withMesh(call, async (connection) => {
      await expectNodes(connection, [node]);
      await expectNotStopped(connection);
      const say = progressWriter(call.context, false);
      const controller = await connectToTemporal(connection);
      try {
        const document = await followPush(
          connection,
          controller,
          { kind: "declare", named: [node], requestedBy: whoAsks(), why: "declared by hand", confirmRemoval: false },
          {
            timeoutMs,
            say,
            interrupt: call.context.listenForInterrupt(),
            delivery: createShellDelivery(connection, say, call.context),
          },
        );
        const refused = document.nodes.filter((one) => one.outcome === "not-worked-out").map((one) => one.why);
        const remedy = await findMissingValues(connection, refused);
        // Of a declaration by hand there is one round.
        const changed = await listLeft(connection.db, connection.mesh, { push: document.push, rounds: 1 });
        const declared = { ...document, changed };
        return { code: pushCode(declared), document: declared, text: pushText(declared, remedy) };
      } finally {
        await controller.close();
      }
    });
  },
};
