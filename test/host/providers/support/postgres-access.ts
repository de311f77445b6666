import { randomBytes } from "node:crypto";
import type { ProviderAccess } from "../../../../src/host/providers/provider.ts";

/** Of a mesh of its own: tests share the server. */
export function makePostgresAccess(admin: URL): ProviderAccess {
  return {
    mesh: `m${randomBytes(4).toString("hex")}`,
    node: "node-b",
    module: "postgres",
    admin: `${admin.hostname}:${admin.port}`,
    adminUser: decodeURIComponent(admin.username),
    adminPassword: decodeURIComponent(admin.password),
    signal: new AbortController().signal,
  };
}
