import type { ProvisionKind } from "../../core/manifest.ts";
import type { ProvisionReference } from "../../core/resource.ts";
import type { NodeContext } from "../node-context.ts";

/**
 * The text of a module's provisions file: `{<requirement>: {kind, host, port, name, user, password, url}}`. Holds
 * secrets: it is written to that file and nowhere else. Throws InputError where a box is missing or does not open.
 */
export async function writeProvisions(
  references: readonly ProvisionReference[],
  openSecret: NodeContext["openSecret"],
): Promise<string> {
  const entries: [string, object][] = [];
  for (const reference of references) {
    const { requirement, provision, version, kind, host, port, name } = reference;
    const { user, password } = await openSecret(provision, version);
    const url = `${schemes[kind]}://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${urlHost(host)}:${port}/${encodeURIComponent(name)}`;
    entries.push([requirement, { kind, host, port, name, user, password, url }]);
  }
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

const schemes: Readonly<Record<ProvisionKind, string>> = { postgresql: "postgresql", rabbitmq: "amqp" };

function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
