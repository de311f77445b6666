import { readFile } from "node:fs/promises";
import type { Logger } from "pino";
import type { Builder } from "../activities/keep-provenance.ts";
import { createRepositoryPool } from "../activities/repository-pool.ts";
import { noteDamagedClone } from "../activities/note-damaged-clone.ts";
import type { LookDependencies } from "../activities/look-at-sources.ts";
import { openArtifactStore, type ArtifactStore } from "../build/artifact-store.ts";
import { openSandboxes, type Sandboxes } from "../build/open-sandbox.ts";
import { createToolchainWatch, describeBuilder } from "../build/toolchain.ts";
import { languageSchema } from "../core/manifest.ts";
import { loadSigningKey, type SigningKey } from "../link/keys.ts";
import { openDatabase, type Database } from "../store/database.ts";
import { readOwnVersion } from "./own-version.ts";
import type { ServeConfig } from "./serve-config.ts";

/** The real parts that one controller process is made of. */
export interface ControllerParts {
  readonly log: Logger;
  readonly db: Database;
  readonly look: LookDependencies;
  readonly artifacts: ArtifactStore;
  readonly sandboxes: Sandboxes;
  readonly declarationKey: SigningKey;
  readonly builder: Builder;
  readonly root: Uint8Array;
  readonly describeToolchains: () => Readonly<Record<string, string>>;
  readonly builders: Readonly<Record<string, string>>;
}

export async function openParts(config: ServeConfig, log: Logger): Promise<ControllerParts> {
  const db = openDatabase({
    url: config.databaseUrl,
    maxConnections: 12,
    applicationName: "mesh-controller",
    statementTimeoutMs: 30_000,
    onConnectionLost: (error) => log.warn({ err: error }, "a database connection was lost"),
  });
  const languages = languageSchema.options;
  const sandboxes = await openSandboxes(config.unsafeWithoutSandbox);
  log.info({ sandbox: sandboxes.promises }, "what the sandbox promises on this machine");
  return {
    log,
    db,
    look: {
      db,
      mesh: config.mesh,
      repositories: createRepositoryPool(config.folders.repositories, {
        credentials: config.credentials,
        onDamaged: (repository, why) => noteDamagedClone(db, config.mesh, repository, why),
      }),
    },
    artifacts: await openArtifactStore(config.folders.artifacts),
    sandboxes,
    declarationKey: await loadSigningKey(config.keys.declarationKeyFile),
    builder: { key: await loadSigningKey(config.keys.provenanceKeyFile), version: await readOwnVersion() },
    root: await readFile(config.keys.rootFile),
    describeToolchains: createToolchainWatch(),
    builders: Object.fromEntries(languages.map((language) => [language, describeBuilder(language)])),
  };
}
