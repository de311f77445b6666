import type { CommandDefinition } from "../command.ts";
import { parseName } from "../arguments.ts";
import { InputError } from "../../core/errors.ts";
import { getAssignment, unassign } from "../../store/assignments.ts";
import { assignCommandLine } from "../text/assignment-words.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Changes the mesh's records only: a push makes it so. What was provided for it (a database, a vhost) has its access
withdrawn by that push; data is kept.

Example:
  mesh unassign node-a meshboard`;

export const unassignCommand: CommandDefinition = {
  configure: (command) => {
    command.argument("<node>", "where it runs").argument("<module>", "what runs there").addHelpText("after", help);
  },
  run: async (call) => {
    const node = parseName("node", call.args[0]);
    const module = parseName("module", call.args[1]);
    return await withMesh(call, async ({ db, mesh }) => {
      const before = await getAssignment(db, mesh, { node, module });
      if (before === null || !(await unassign(db, mesh, { node, module }))) {
        throw new InputError(`${module} is not assigned to ${node}`, "see mesh node list");
      }
      return {
        code: 0,
        document: { unassigned: { node, module, config: before.config, providers: before.providers } },
        text: [
          `${module} is no longer assigned to ${node}; nothing was sent`,
          `  its configuration is forgotten; as it was: ${assignCommandLine(before)}`,
          `  next: mesh plan ${node}   then   mesh push ${node}`,
        ].join("\n"),
      };
    });
  },
};
