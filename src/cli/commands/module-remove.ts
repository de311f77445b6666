import type { CommandDefinition } from "../command.ts";
import { parseName } from "../arguments.ts";
import { InputError } from "../../core/errors.ts";
import { type ModuleRemoval, removeModule } from "../../store/remove-module.ts";
import { wakeController } from "../wake-controller.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Takes a registration back, for instance one with a mistake in it. A module that is assigned, or that a node was last
sent, stays: unassign it and push the node first. What was built of it stays in the records.

Example:
  mesh module remove meshbord`;

export const moduleRemoveCommand: CommandDefinition = {
  configure: (command) => {
    command.argument("<module>", "a registered module").addHelpText("after", help);
  },
  run: async (call) => {
    const name = parseName("module", call.args[0]);
    return await withMesh(call, async (connection) => {
      const removal = await removeModule(connection.db, connection.mesh, name);
      if (!removal.removed) throw explainRefusal(name, removal);
      const woken = await wakeController(connection, `module ${name} was removed`);
      const { importedBy } = removal;
      return {
        code: 0,
        document: { removed: { module: name }, importedBy, controller: woken },
        text: [
          `${name} is no module of this mesh any more; what was built of it stays in the records`,
          ...(importedBy.length === 0
            ? []
            : [`  ${importedBy.join(", ")} imported it, and will be broken until that import is gone`]),
          ...(woken.asked ? [] : [`  the controller was not told (${woken.why}): it looks by itself when it runs`]),
          `  next: ${importedBy[0] === undefined ? "mesh module list" : `mesh why ${importedBy[0]}`}`,
        ].join("\n"),
      };
    });
  },
};

function explainRefusal(name: string, { known, assignedTo, carriedBy }: ModuleRemoval): InputError {
  if (!known) return new InputError(`there is no module ${name}`, "see mesh module list");
  const why = [
    ...(assignedTo.length === 0 ? [] : [`it is assigned to ${assignedTo.join(", ")}`]),
    ...(carriedBy.length === 0 ? [] : [`the last declaration to ${carriedBy.join(", ")} has it, or may have it`]),
  ];
  const next = [
    ...assignedTo.map((node) => `mesh unassign ${node} ${name}`),
    ...(carriedBy.length === 0 ? [] : [`mesh push ${carriedBy.join(" ")}`]),
  ];
  return new InputError(`${name} stays: ${why.join("; ")}`, next.join(", then "));
}
