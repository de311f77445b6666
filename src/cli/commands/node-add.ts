import type { CommandDefinition, CommandResult } from "../command.ts";
import { parseArgument, parseName } from "../arguments.ts";
import { InputError } from "../../core/errors.ts";
import { addressSchema } from "../../core/node.ts";
import type { Name } from "../../core/names.ts";
import { addNode, getNode, moveNode } from "../../store/nodes.ts";
import { createHostToken } from "../create-host-token.ts";
import type { MeshConnection } from "../mesh-connection.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
The token is printed once, works once, and only for an hour. Bring it to the machine and enrol its host with it. A node that is
registered already is said to be, and stays as it is. With --moved its host stays enrolled and no token is made.

Examples:
  mesh node add shop-1 --address 10.0.0.7
  mesh node add shop-1 --address 10.0.0.8 --moved`;

export const nodeAddCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("<name>", "what the mesh calls it")
      .requiredOption("--address <address>", "DNS name or IP address under which other nodes reach it")
      .option("--moved", "it is registered, and its address is another one now")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const name = parseName("node", call.args[0]);
    const address = parseArgument(addressSchema, "address", call.options["address"]);
    const isMoved = call.options["moved"] === true;
    return await withMesh(call, (connection) => (isMoved ? move : add)(connection, { name, address }));
  },
};

interface Registered {
  readonly name: Name;
  readonly address: string;
}

async function add(connection: MeshConnection, { name, address }: Registered): Promise<CommandResult> {
  const { db, mesh } = connection;
  const isNew = (await addNode(db, mesh, { name, address })) === "added";
  const incarnation = (await getNode(db, mesh, name))?.incarnation ?? null;
  const token = await createHostToken(connection, name);
  const enrolled =
    incarnation === null
      ? "no host is enrolled as it"
      : "a host is enrolled as it, and one with other keys would replace it";
  return {
    code: 0,
    document: { node: { name, address }, token, added: isNew, addressBefore: isNew ? null : address, incarnation },
    text: [
      isNew
        ? `${name} is registered at ${address}`
        : `${name} was registered at ${address} already: nothing changed; ${enrolled}`,
      `token (once, within the hour): ${token}`,
      `  next, on ${name}: mesh host enrol --dir FOLDER --token-file FILE`,
    ].join("\n"),
  };
}

async function move({ db, mesh }: MeshConnection, { name, address }: Registered): Promise<CommandResult> {
  const before = await getNode(db, mesh, name);
  if (before === null || !(await moveNode(db, mesh, { name, address })))
    throw new InputError(`there is no node ${name}, so nothing was moved`, "mesh node list");
  const { address: addressBefore, incarnation } = before;
  return {
    code: 0,
    document: { node: { name, address }, token: null, added: false, addressBefore, incarnation },
    text: `${name} was at ${addressBefore}, and is at ${address} now; others are told by a push\n  next: mesh push --behind`,
  };
}
