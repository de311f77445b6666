import { createGateway } from "../link/gateway/create-gateway.ts";
import { createDeclarationWakes, createGatewayRecords } from "./gateway-records.ts";
import { roleName } from "../store/writers/database-role.ts";
import { openCertificate, watchCertificate } from "./watch-certificate.ts";
import { watchDrifts } from "./watch-drifts.ts";
import { watchRefusedCalls } from "./watch-refused-calls.ts";
import { watchStrangers } from "./watch-strangers.ts";
import { hearDeclarations } from "./hear-declarations.ts";
import type { ControllerParts } from "./open-parts.ts";
import { databaseAddress, type ServeConfig } from "./serve-config.ts";

/** Hosts and webhooks come in here. New declarations are heard by LISTEN, and read again after each reconnect. */
export async function startGateway(
  config: ServeConfig,
  parts: ControllerParts,
  wake: (source: string) => Promise<void>,
): Promise<{ readonly address: string; close(): Promise<void> }> {
  const { log } = parts;
  const certificate = await openCertificate(config.gateway, log, Date.now());
  const wakes = createDeclarationWakes();
  const listener = await hearDeclarations({
    url: databaseAddress(config, "gateway"),
    role: parts.roles.enforced ? "gateway" : undefined,
    db: parts.db,
    mesh: config.mesh,
    wakes,
    log,
  });
  const strangers = watchStrangers({ db: parts.db, mesh: config.mesh, log });
  const drifts = watchDrifts({ db: parts.db, mesh: config.mesh, log });
  const who = parts.roles.enforced ? roleName("gateway") : "the user of the database's address";
  const refusedCalls = watchRefusedCalls({ db: parts.db, mesh: config.mesh, log, who });
  const endRest = async (): Promise<void> => {
    await refusedCalls.stop();
    await strangers.stop();
    await drifts.stop();
    await listener.close();
  };
  try {
    const gateway = await createGateway({
      mesh: config.mesh,
      records: createGatewayRecords({
        db: parts.gatewayDb,
        mesh: config.mesh,
        artifacts: parts.artifacts,
        trust: parts.trust,
        wakes,
        onKept: drifts.note,
      }),
      tls: certificate,
      log,
      webhookSecrets: Object.fromEntries(
        Object.entries(config.webhooks).map(([source, hook]) => [source, hook.secrets]),
      ),
      wake,
      onStranger: strangers.note,
      onRecords: refusedCalls.note,
    });
    const address = await gateway.listen({ host: config.gateway.host, port: config.gateway.port });
    const renewal = watchCertificate({
      ...parts,
      mesh: config.mesh,
      files: config.gateway,
      used: certificate,
      gateway,
    });
    return {
      address: `https://${address.host}:${address.port}`,
      async close() {
        await renewal.stop();
        await gateway.close();
        await endRest();
      },
    };
  } catch (error) {
    // One that does not listen has nobody to stop it later.
    await endRest();
    throw error;
  }
}
