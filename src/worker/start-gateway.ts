import { readFile } from "node:fs/promises";
import { createGateway } from "../link/gateway/create-gateway.ts";
import { atStep } from "../core/failpoints.ts";
import { declarationChannel } from "../store/declarations.ts";
import { listen } from "../store/notify.ts";
import { createDeclarationWakes, createGatewayRecords } from "./gateway-records.ts";
import { watchStrangers } from "./watch-strangers.ts";
import { watchTrouble } from "./note-trouble.ts";
import type { ControllerParts } from "./open-parts.ts";
import type { ServeConfig } from "./serve-config.ts";

/** Hosts and webhooks come in here. New declarations are heard by LISTEN, and read again after each reconnect. */
export async function startGateway(
  config: ServeConfig,
  parts: ControllerParts,
  wake: (source: string) => Promise<void>,
): Promise<{ readonly address: string; close(): Promise<void> }> {
  const { log } = parts;
  const wakes = createDeclarationWakes();
  const trouble = watchTrouble(
    { db: parts.db, mesh: config.mesh, log },
    {
      code: "listener-lost",
      subject: "declarations",
      what: "the gateway does not hear of new declarations",
      remedy: "see whether PostgreSQL takes connections; it tries again by itself, and hosts ask at least every minute",
    },
  );
  const listener = await listen({
    url: config.databaseUrl,
    role: parts.roles.enforced ? "gateway" : undefined,
    channels: [declarationChannel],
    onNotify: (_channel, payload) => {
      const [mesh, node] = payload.split(" ");
      if (mesh === config.mesh && node !== undefined) void atStep("notify.wake", async () => wakes.wake(node));
    },
    onReconnect() {
      wakes.wakeAll();
      void trouble.fine();
    },
    onLost(error) {
      log.warn({ err: error }, "listening for declarations was interrupted");
      void trouble.failed(error);
    },
  });
  await trouble.fine();
  const strangers = watchStrangers({ db: parts.db, mesh: config.mesh, log });
  const gateway = await createGateway({
    mesh: config.mesh,
    records: createGatewayRecords({
      db: parts.gatewayDb,
      mesh: config.mesh,
      artifacts: parts.artifacts,
      trust: parts.trust,
      wakes,
    }),
    tls: {
      certPem: await readFile(config.gateway.certificateFile, "utf8"),
      keyPem: await readFile(config.gateway.certificateKeyFile, "utf8"),
    },
    log,
    webhookSecrets: Object.fromEntries(Object.entries(config.webhooks).map(([source, hook]) => [source, hook.secrets])),
    wake,
    onStranger: strangers.note,
  });
  const address = await gateway.listen({ host: config.gateway.host, port: config.gateway.port });
  return {
    address: `https://${address.host}:${address.port}`,
    async close() {
      await gateway.close();
      await strangers.stop();
      await listener.close();
    },
  };
}
