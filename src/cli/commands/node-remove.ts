import type { CommandDefinition } from "../command.ts";
import { parseName } from "../arguments.ts";
import { InputError } from "../../core/errors.ts";
import { listNames } from "../../decide/short-names.ts";
import { type NodeRemoval, removeNode } from "../../store/remove-node.ts";
import { stepsOfEach, wordsOfEach } from "../text/say-each.ts";
import { whoAsks } from "../who-asks.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Takes a node out of the mesh: one with a slip in its name, or a machine that is gone. Unassign its modules and push it
first, so that what was provided for it is withdrawn where it was made; a node that was sent modules stays until then.
Where a host enrolled, --yes says that it is meant: its keys and tokens go, and from then on it is refused by name. What
it was sent goes in time, as settings.json says (history); a node of the same name is never sent a lower number.

Exit code: 0 removed, 2 it stays.

Examples:
  mesh node remove typo-1
  mesh node remove shop-1 --yes        its machine is gone, or ends its host`;

export const nodeRemoveCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("<node>", "a registered node")
      .option("--yes", "also where its host enrolled; without this such a one stays")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const name = parseName("node", call.args[0]);
    return await withMesh(call, async ({ db, mesh }) => {
      const whereEnrolled = call.options["yes"] === true ? "goes" : "stays";
      const removal = await removeNode(db, mesh, name, { by: whoAsks(), whereEnrolled });
      if (!removal.removed) throw explainRefusal(name, removal);
      const { enrolled, unread, owed } = removal;
      return {
        code: 0,
        document: { removed: { node: name }, enrolled, unread, givenUp: owed },
        text: [
          `${name} is no node of this mesh any more; the records of what it was sent go in time`,
          ...(enrolled
            ? [`  its host is refused from now on, and goes on running what it has: end it on that machine`]
            : []),
          ...owed.map(
            (one) =>
              `  given up: ${one.requirement} of ${one.module} on ${one.node} was not confirmed as withdrawn there`,
          ),
          "  next: mesh node list",
        ].join("\n"),
      };
    });
  },
};

function explainRefusal(name: string, removal: NodeRemoval): InputError {
  const { known, enrolled, stopped, assigned, carried, carriesUnknown, issued, owed, unread } = removal;
  if (!known) return new InputError(`there is no node ${name}`, "see mesh node list");
  if (stopped)
    return new InputError(`${name} stays: the mesh is stopped, and what its hosts have is needed`, "mesh recover");
  const isSent = carried.length > 0 || carriesUnknown;
  const others = issued.filter((one) => one.node !== name);
  const why = [
    ...(assigned.length === 0 ? [] : [`${listNames(assigned)} ${assigned.length === 1 ? "is" : "are"} assigned to it`]),
    ...(carried.length === 0 ? [] : [`the last declaration to it has ${listNames(carried)}`]),
    ...(carriesUnknown ? ["the last declaration to it may hold anything"] : []),
    ...(others.length === 0
      ? []
      : [`it provides for ${listNames(others.map((one) => `${one.module} on ${one.node}`))}`]),
    ...(issued.length > others.length ? ["what was provided for it is not withdrawn yet"] : []),
  ];
  if (why.length > 0) {
    const consumers = [...new Set(others.map((one) => one.node))];
    const next = [
      ...stepsOfEach(assigned, (module) => `mesh unassign ${name} ${module}`),
      ...(isSent || assigned.length > 0 || issued.length > others.length ? [`mesh push ${name}`] : []),
      ...(consumers.length === 0 ? [] : [`give them another provider, then mesh push ${wordsOfEach(consumers)}`]),
    ];
    return new InputError(`${name} stays: ${why.join("; ")}`, next.join(", then "));
  }
  const meant = [
    ...(enrolled ? ["its host enrolled, and would be refused from then on"] : []),
    ...(unread ? ["it has not reported what it was last sent, so that more may run there"] : []),
    ...(owed.length === 0
      ? []
      : [`it has not confirmed ${owed.length === 1 ? "a withdrawal" : `${owed.length} withdrawals`}`]),
  ];
  return new InputError(`${name} stays: ${meant.join("; ")}`, `where that is meant: mesh node remove ${name} --yes`);
}
