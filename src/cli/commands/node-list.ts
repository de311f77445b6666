import type { CommandDefinition } from "../command.ts";
import type { Name } from "../../core/names.ts";
import type { Assignment } from "../../core/node.ts";
import { listAssignments } from "../../store/assignments.ts";
import { listNodes } from "../../store/nodes.ts";
import { describeAge } from "../text/ages.ts";
import { configWords } from "../text/assignment-words.ts";
import { alignColumns } from "../text/columns.ts";
import { withMesh } from "../with-mesh.ts";

export const nodeListCommand: CommandDefinition = {
  configure: () => {},
  run: async (call) =>
    await withMesh(call, async ({ db, mesh }) => {
      const nodes = await listNodes(db, mesh);
      const byNode = new Map<Name, Assignment[]>(nodes.map(({ name }) => [name, []]));
      for (const one of await listAssignments(db, mesh)) byNode.get(one.node)?.push(one);
      const assignedTo = (node: Name): readonly Assignment[] => byNode.get(node) ?? [];
      const now = call.context.now();
      const rows = nodes.map((node) => [
        node.name,
        node.address,
        node.enrolledAt === null ? "not enrolled" : `enrolled ${describeAge(node.enrolledAt, now)}`,
        `heard ${describeAge(node.lastContactAt, now)}`,
        assignedTo(node.name).map(moduleWords).join("; ") || "-",
      ]);
      return {
        code: 0,
        document: {
          nodes: nodes.map(({ keys, ...node }) => ({
            ...node,
            publicKeys: keys,
            modules: assignedTo(node.name).map((one) => one.module),
            assignments: assignedTo(node.name).map(({ module, config, providers }) => ({ module, config, providers })),
          })),
        },
        text:
          rows.length === 0
            ? "no nodes yet\n  next: mesh node add NAME --address ADDRESS"
            : alignColumns([["NODE", "ADDRESS", "HOST", "LAST HEARD", "MODULES"], ...rows]),
      };
    }),
};

function moduleWords(assignment: Assignment): string {
  const words = configWords(assignment);
  return words === "" ? assignment.module : `${assignment.module} (${words})`;
}
