import type { CommandDefinition } from "../command.ts";
import { parseArgument, parseName } from "../arguments.ts";
import { addressSchema } from "../../core/node.ts";
import { addNode } from "../../store/nodes.ts";
import { createHostToken } from "../create-host-token.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
The token is printed once, works once, and only for an hour. Bring it to the machine and enrol its host with it.

Example:
  mesh node add shop-1 --address 10.0.0.7`;

export const nodeAddCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("<name>", "what the mesh calls it")
      .requiredOption("--address <address>", "DNS name or IP address under which other nodes reach it")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const name = parseName("node", call.args[0]);
    const address = parseArgument(addressSchema, "address", call.options["address"]);
    return await withMesh(call, async (connection) => {
      await addNode(connection.db, connection.mesh, { name, address });
      const token = await createHostToken(connection, name);
      return {
        code: 0,
        document: { node: { name, address }, token },
        text: `${name} is registered at ${address}\ntoken (once, within the hour): ${token}\n  next, on ${name}: mesh host enrol --dir FOLDER --token-file FILE`,
      };
    });
  },
};
