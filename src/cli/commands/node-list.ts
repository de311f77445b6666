import type { CommandDefinition } from "../command.ts";
import { listAssignments } from "../../store/assignments.ts";
import { listNodes } from "../../store/nodes.ts";
import { describeAge } from "../text/ages.ts";
import { alignColumns } from "../text/columns.ts";
import { withMesh } from "../with-mesh.ts";

export const nodeListCommand: CommandDefinition = {
  configure: () => {},
  run: async (call) =>
    await withMesh(call, async ({ db, mesh }) => {
      const nodes = await listNodes(db, mesh);
      const assignments = await listAssignments(db, mesh);
      const modulesOn = (node: string) => assignments.filter((one) => one.node === node).map((one) => one.module);
      const now = call.context.now();
      const rows = nodes.map((node) => [
        node.name,
        node.address,
        node.enrolledAt === null ? "not enrolled" : `enrolled ${describeAge(node.enrolledAt, now)}`,
        `heard ${describeAge(node.lastContactAt, now)}`,
        modulesOn(node.name).join(", ") || "-",
      ]);
      return {
        code: 0,
        document: {
          nodes: nodes.map(({ keys, ...node }) => ({ ...node, publicKeys: keys, modules: modulesOn(node.name) })),
        },
        text:
          rows.length === 0
            ? "no nodes yet\n  next: mesh node add NAME --address ADDRESS"
            : alignColumns([["NODE", "ADDRESS", "HOST", "LAST HEARD", "MODULES"], ...rows]),
      };
    }),
};
