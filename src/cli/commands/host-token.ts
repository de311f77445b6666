import type { CommandDefinition } from "../command.ts";
import { parseName } from "../arguments.ts";
import { tokenLivesMs } from "../../link/enrolment-token.ts";
import { createHostToken } from "../create-host-token.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
A host that shows it from the folder it has is the same host. From another folder it is a host anew: what was provided for the old one
is withdrawn and given to it with new passwords at the next push.

Example:
  (umask 077; mesh host token shop-1 > token.txt)`;

export const hostTokenCommand: CommandDefinition = {
  configure: (command) => {
    command.argument("<node>", "a registered node").addHelpText("after", help);
  },
  run: async (call) => {
    const node = parseName("node", call.args[0]);
    return await withMesh(call, async (connection) => {
      const token = await createHostToken(connection, node);
      if (!call.options.json) {
        call.context.stderr.write(
          `works once, within the hour; on ${node}: mesh host enrol --dir FOLDER --token-file FILE\n`,
        );
      }
      return { code: 0, document: { node, token, livesMs: tokenLivesMs }, text: token };
    });
  },
};
