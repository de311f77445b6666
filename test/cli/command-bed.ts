import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { TightDisk } from "../../src/core/tight-disk.ts";
import type { MeshConnection } from "../../src/cli/mesh-connection.ts";
import { meshPaths } from "../../src/cli/mesh-setup.ts";
import { createCertificateAuthority } from "../../src/link/certificate-authority.ts";
import type { RecordsIdentity } from "../../src/store/writers/database-role.ts";
import { mesh, openRecords, type Records } from "../store/open-records.ts";
import { type Ran, runMesh } from "./fake-context.ts";

/** A mesh with records of its own and no controller, and commands run against it. */
export interface CommandBed {
  readonly state: string;
  readonly records: Records;
  /** With the rights that the command has (R41); a viewer's when left out. */
  readonly connect: (state?: string, as?: RecordsIdentity) => Promise<MeshConnection>;
  run(...argv: string[]): Promise<Ran>;
  /** From now on every folder lies on this disk; null: on one that has room. */
  placeOn(disk: TightDisk | null): void;
  /** The document of a command under --json, its schema checked. */
  documentOf(...argv: string[]): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

const settings = {
  listen: "127.0.0.1",
  pollIntervalMs: 3000,
  staleAfterMs: 86_400_000,
  silentAfterMs: 90_000,
  buildSlots: 2,
  lostAfterMs: 120_000,
  starvedAfterMs: 60_000,
  credentials: {},
  unsafeWithoutSandbox: false,
  passwordPrefix: "",
  logLevel: "info",
} as const;

/** To records that are there already; a controller is not. */
export function connectionTo(to: Pick<MeshConnection, "state" | "mesh" | "db">): MeshConnection {
  return {
    ...to,
    paths: meshPaths(to.state),
    setup: {
      mesh: to.mesh,
      temporal: { address: "127.0.0.1:1", namespace: "default", ui: null },
      gateway: { host: "127.0.0.1", port: 7443 },
      databaseRoles: true,
      settings,
    },
    readServeConfig: () => Promise.reject(new Error("these tests run no controller")),
    close: () => Promise.resolve(),
  };
}

/** Made once for each test file: it takes a while, and no test changes it. */
let authority: Promise<string> | undefined;

async function createAuthority(): Promise<string> {
  return (await createCertificateAuthority({ mesh, nowMs: Date.now() })).certPem;
}

export async function openCommandBed(): Promise<CommandBed> {
  const state = mkdtempSync(join(tmpdir(), "mesh-commands-"));
  writeFileSync(join(state, "mesh.json"), "{}");
  mkdirSync(join(state, "keys"));
  writeFileSync(meshPaths(state).authority, await (authority ??= createAuthority()));
  const records = await openRecords();
  const connect: CommandBed["connect"] = async (_state, as = "viewer") =>
    connectionTo({ state, mesh, db: records.as(as) });
  let disk: TightDisk | null = null;
  const findTightDisks = (): readonly TightDisk[] => (disk === null ? [] : [disk]);
  const run = (...argv: string[]): Promise<Ran> =>
    runMesh(argv, { env: { MESH_STATE: state }, openMesh: connect, findTightDisks });
  return {
    state,
    records,
    connect,
    run,
    placeOn: (placed) => {
      disk = placed;
    },
    async documentOf(...argv) {
      const ran = await run(...argv, "--json");
      expect(ran.stdout.split("\n")).toHaveLength(2);
      const document = JSON.parse(ran.stdout) as Record<string, unknown>;
      expect(document["schema"]).toMatch(/^mesh\.[a-z-]+\.v1$/);
      return document;
    },
    async close() {
      await records.close();
      rmSync(state, { recursive: true });
    },
  };
}
