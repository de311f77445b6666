import type { World } from "../../../src/decide/world.ts";
import { buildWorld } from "./build-world.ts";

export const postgres = {
  service: { command: ["node", "${artifact}/main.js"], env: { PORT: "${config.port}" } },
  provides: [
    {
      kind: "postgresql",
      port: "${config.port}",
      admin: "127.0.0.1:${config.port}",
      adminUser: "admin",
      adminPasswordFile: "${data}/admin-password",
    },
  ],
  config: { port: "5432" },
};

export const rabbit = {
  provides: [
    {
      kind: "rabbitmq",
      port: "5672",
      admin: "http://127.0.0.1:15672",
      adminUser: "admin",
      adminPasswordFile: "${data}/admin-password",
    },
  ],
};

export const meshboard = {
  requires: [{ name: "database", kind: "postgresql" }],
  service: { command: ["node", "${artifact}/main.js", "--data", "${data}"], env: { LISTEN: "${node.address}" } },
};

/** meshboard on node-a, its database's provider on node-b, and node-c that runs something of its own. */
export function exampleMesh(): World {
  return buildWorld({
    nodes: { "node-a": "10.0.0.1", "node-b": "10.0.0.2", "node-c": "10.0.0.3" },
    modules: { meshboard, postgres, clock: {} },
    assign: { "meshboard@node-a": {}, "postgres@node-b": {}, "clock@node-c": {} },
  });
}
