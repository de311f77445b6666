import type { Logger } from "pino";
import type { Builder } from "../activities/keep-provenance.ts";
import { createRepositoryPool } from "../activities/repository-pool.ts";
import { createSilentSources, type SilentSources } from "../activities/silent-sources.ts";
import { noteDamagedClone } from "../activities/note-damaged-clone.ts";
import type { LookDependencies } from "../activities/look-at-sources.ts";
import { openArtifactStore, type ArtifactStore } from "../build/artifact-store.ts";
import { openSandboxes, type Sandboxes } from "../build/open-sandbox.ts";
import { createToolchainWatch, describeBuilder } from "../build/toolchain.ts";
import { languageSchema } from "../core/manifest.ts";
import { openDatabase, type Database } from "../store/database.ts";
import type { ReadingThread } from "../source/imports/reading-thread.ts";
import type { LoginRole } from "../store/writers/login.ts";
import type { RolesInForce } from "../store/writers/keep-roles.ts";
import { readOwnVersion } from "./own-version.ts";
import { databaseAddress, type ServeConfig } from "./serve-config.ts";
import { startReadingThread } from "./start-reading-thread.ts";
import { openTrust, type Trust } from "./trust.ts";

/** Waits for what is under way on all of them. */
export async function closeDatabases(
  parts: Pick<ControllerParts, "db" | "readDb" | "gatewayDb" | "builderDb">,
): Promise<void> {
  await Promise.all([parts.db.end(), parts.readDb.end(), parts.gatewayDb.end(), parts.builderDb.end()]);
}

/** The real parts that one controller process is made of. */
export interface ControllerParts {
  readonly log: Logger;
  readonly roles: RolesInForce;
  /** With the controller's rights: it decides and sends. */
  readonly db: Database;
  /** As `db`, and nothing can be written by it: what commands ask is answered by it. */
  readonly readDb: Database;
  /** With the rights of the gateway: what hosts, tokens and forges may write. */
  readonly gatewayDb: Database;
  /** With the rights of builds. */
  readonly builderDb: Database;
  readonly look: LookDependencies & { readonly silent: SilentSources; readonly thread: ReadingThread };
  readonly artifacts: ArtifactStore;
  readonly sandboxes: Sandboxes;
  readonly trust: Trust;
  readonly builder: Builder;
  readonly describeToolchains: () => Readonly<Record<string, string>>;
  readonly builders: Readonly<Record<string, string>>;
}

export async function openParts(config: ServeConfig, roles: RolesInForce, log: Logger): Promise<ControllerParts> {
  const open = (role: LoginRole, maxConnections: number, more: { readonly readOnly?: true } = {}): Database =>
    openDatabase({
      ...more,
      url: databaseAddress(config, role),
      role: roles.enforced ? role : undefined,
      maxConnections,
      applicationName: `mesh-${role}`,
      statementTimeoutMs: 30_000,
      onConnectionLost: (error) => log.warn({ err: error, role }, "a database connection was lost"),
    });
  const db = open("controller", 8);
  const languages = languageSchema.options;
  const sandboxes = await openSandboxes(config.unsafeWithoutSandbox);
  const trust = await openTrust({ mesh: config.mesh, keys: config.keys, nowMs: Date.now });
  log.info({ sandbox: sandboxes.promises }, "what the sandbox promises on this machine");
  return {
    log,
    roles,
    db,
    readDb: open("controller", 2, { readOnly: true }),
    gatewayDb: open("gateway", 6),
    builderDb: open("builder", 4),
    look: {
      db,
      thread: startReadingThread(log),
      mesh: config.mesh,
      silent: createSilentSources(config.pollIntervalMs),
      repositories: createRepositoryPool(config.folders.repositories, {
        credentials: config.credentials,
        cloneBytes: config.cloneBytes,
        onDamaged: (repository, why) => noteDamagedClone(db, config.mesh, repository, why),
        onUntidy: (repository, error) => log.warn({ err: error, repository }, "a clone could not be made smaller"),
      }),
    },
    artifacts: await openArtifactStore(config.folders.artifacts),
    sandboxes,
    trust,
    builder: {
      get key() {
        return trust.builderKey;
      },
      version: await readOwnVersion(),
    },
    describeToolchains: createToolchainWatch(),
    builders: Object.fromEntries(languages.map((language) => [language, describeBuilder(language)])),
  };
}
