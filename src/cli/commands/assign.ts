import type { CommandDefinition } from "../command.ts";
import { parseArgument, parseName, parsePairs } from "../arguments.ts";
import { InputError } from "../../core/errors.ts";
import { assignmentSchema } from "../../core/node.ts";
import { assign } from "../../store/assignments.ts";
import { getModule } from "../../store/modules.ts";
import { getNode } from "../../store/nodes.ts";
import { collect } from "../collect.ts";
import { plainLine } from "../text/plain.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Changes the mesh's records only: a push makes it so. Assigning again replaces the whole configuration.

Examples:
  mesh assign node-a meshboard --set port=8080
  mesh assign node-a meshboard --set port=8080 --provider database=postgres@node-b`;

export const assignCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("<node>", "where it runs")
      .argument("<module>", "what runs there")
      .option("--set <key=value>", "a configuration value (repeat for more)", collect, [])
      .option(
        "--provider <requirement=module@node>",
        "which provider satisfies a requirement (repeat for more)",
        collect,
        [],
      )
      .addHelpText("after", help);
  },
  run: async (call) => {
    const assignment = parseArgument(assignmentSchema, "assignment", {
      node: parseName("node", call.args[0]),
      module: parseName("module", call.args[1]),
      config: parseConfig(call.options["set"]),
      providers: parseProviders(call.options["provider"]),
    });
    const { node, module } = assignment;
    return await withMesh(call, async ({ db, mesh }) => {
      if ((await getNode(db, mesh, node)) === null)
        throw new InputError(`there is no node ${node}`, "see mesh node list");
      if ((await getModule(db, mesh, module)) === null) {
        throw new InputError(`there is no module ${module}`, "see mesh module list");
      }
      await assign(db, mesh, assignment);
      return {
        code: 0,
        document: { assignment },
        text: `${module} is assigned to ${node}; nothing was sent\n  next: mesh plan ${node}   then   mesh push ${node}`,
      };
    });
  },
};

function parseConfig(words: unknown): Record<string, string> {
  const config = parsePairs("--set", words);
  for (const [key, value] of Object.entries(config)) {
    if (!/^[a-z][A-Za-z0-9]{0,63}$/.test(key)) {
      const rule = "a key is letters and digits, begins with a lower-case letter, and has at most 64";
      throw new InputError(`--set "${plainLine(key, 60)}" is no configuration key: ${rule}`);
    }
    if (value.length > 4096) throw new InputError(`--set ${key} is too long: a value has at most 4096 characters`);
  }
  return config;
}

function parseProviders(words: unknown): Record<string, string> {
  const providers = parsePairs("--provider", words);
  for (const [requirement, provider] of Object.entries(providers)) {
    parseName("requirement", requirement);
    for (const name of provider.split("@")) parseName("provider module or node", name);
  }
  return providers;
}
