import type { CommandDefinition, CommandResult } from "../command.ts";
import { parseName } from "../arguments.ts";
import { InputError } from "../../core/errors.ts";
import { sayPlace } from "../../decide/say-edge.ts";
import { listNames } from "../../decide/short-names.ts";
import { type ModuleRemoval, removeModule } from "../../store/remove-module.ts";
import { alignColumns } from "../text/columns.ts";
import { sayLastKnown } from "../text/last-known.ts";
import { plainLine } from "../text/plain.ts";
import { stepsOfEach, wordsOfEach } from "../text/say-each.ts";
import { wakeController } from "../wake-controller.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Takes a registration back, for instance one with a mistake in it. A module that is assigned, or that a node was last
sent, stays: unassign it and push the node first. One that other modules import is shown with those imports and stays,
unless --yes says that it is meant: what imports it is broken then. What was built of it stays in the records.

Exit code: 0 removed, 2 it stays.

Examples:
  mesh module remove meshbord
  mesh module remove core --yes        though others import it`;

export const moduleRemoveCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("<module>", "a registered module")
      .option("--yes", "also where other modules import it; without this such a one stays")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const name = parseName("module", call.args[0]);
    return await withMesh(call, async (connection) => {
      const whereImported = call.options["yes"] === true ? "goes" : "stays";
      const removal = await removeModule(connection.db, connection.mesh, name, { whereImported });
      const { removed, imports, assignedTo, carriedBy } = removal;
      if (!removed && (!removal.known || assignedTo.length + carriedBy.length > 0)) throw explainRefusal(name, removal);
      if (!removed) return explainImports(name, removal);
      const woken = await wakeController(connection, `module ${name} was removed`);
      const importedBy = listImporters(removal);
      return {
        code: 0,
        document: { removed: { module: name }, importedBy, imports, controller: woken },
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

function listImporters({ imports }: ModuleRemoval): string[] {
  return [...new Set(imports.map(({ module }) => module))];
}

function sayImport(edge: ModuleRemoval["imports"][number]): string {
  return `${plainLine(sayPlace(edge), 160)}${edge.lastKnown ? sayLastKnown({ lastKnown: true }) : ""}`;
}

/** Only that is in the way. */
function explainImports(name: string, removal: ModuleRemoval): CommandResult {
  const { imports } = removal;
  const importedBy = listImporters(removal);
  const rows = imports.map((edge) => [edge.module, edge.kind, sayImport(edge)]);
  return {
    code: 2,
    document: { removed: null, importedBy, imports, controller: null },
    text: [
      `${name} stays: ${importedBy.length === 1 ? "another module imports" : `${importedBy.length} other modules import`} it, and would be broken without it`,
      alignColumns(rows, "  "),
      "  it is assigned to no node, and none was last sent it",
      `  next: take those imports out, or mesh module remove ${name} --yes`,
    ].join("\n"),
  };
}

function explainRefusal(name: string, removal: ModuleRemoval): InputError {
  const { known, assignedTo, carriedBy, imports } = removal;
  if (!known) return new InputError(`there is no module ${name}`, "see mesh module list");
  const places = imports.map((edge) => `${edge.module} at ${sayImport(edge)}`);
  const why = [
    ...(assignedTo.length === 0 ? [] : [`it is assigned to ${listNames(assignedTo)}`]),
    ...(carriedBy.length === 0 ? [] : [`the last declaration to ${listNames(carriedBy)} has it, or may have it`]),
    ...(places.length === 0 ? [] : [`it is imported by ${listNames(places)}`]),
  ];
  const next = [
    ...stepsOfEach(assignedTo, (node) => `mesh unassign ${node} ${name}`),
    ...(carriedBy.length === 0 ? [] : [`mesh push ${wordsOfEach(carriedBy)}`]),
  ];
  return new InputError(`${name} stays: ${why.join("; ")}`, next.join(", then "));
}
