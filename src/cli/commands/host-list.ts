import type { CommandDefinition } from "../command.ts";
import { listNodes } from "../../store/nodes.ts";
import { describeAge } from "../text/ages.ts";
import { alignColumns } from "../text/columns.ts";
import { withMesh } from "../with-mesh.ts";

export const hostListCommand: CommandDefinition = {
  configure: () => {},
  run: async (call) =>
    await withMesh(call, async ({ db, mesh }) => {
      const nodes = await listNodes(db, mesh);
      const now = call.context.now();
      const rows = nodes.map((node) => [
        node.name,
        node.incarnation ?? "not enrolled",
        node.enrolledAt === null ? "-" : describeAge(node.enrolledAt, now),
        describeAge(node.lastContactAt, now),
      ]);
      return {
        code: 0,
        document: {
          hosts: nodes.map(({ name, incarnation, enrolledAt, lastContactAt }) => ({
            node: name,
            incarnation,
            enrolledAt,
            lastContactAt,
          })),
        },
        text:
          rows.length === 0
            ? "no hosts yet\n  next: mesh node add NAME --address ADDRESS"
            : alignColumns([["NODE", "HOST KEY", "ENROLLED", "LAST HEARD"], ...rows]),
      };
    }),
};
