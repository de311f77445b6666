import { createHash } from "node:crypto";
import { manifestSchema, type Manifest } from "../../../src/core/manifest.ts";
import { generateSigningKey, incarnationOf } from "../../../src/link/keys.ts";
import { generateSealIdentity } from "../../../src/link/sealing.ts";
import { putArtifact } from "../../../src/store/artifacts.ts";
import { assign } from "../../../src/store/assignments.ts";
import { createToken, useToken } from "../../../src/store/enrolment.ts";
import { recordModulePlans } from "../../../src/store/module-plans.ts";
import { addModule } from "../../../src/store/modules.ts";
import { addNode } from "../../../src/store/nodes.ts";
import { addRepository } from "../../../src/store/repositories.ts";
import { recordSourceFacts } from "../../../src/store/source-facts.ts";
import type { FlowMesh } from "./flow-mesh.ts";

type MeshRecords = Pick<FlowMesh, "db" | "mesh">;

/** Registers nodes and enrols a host with keys of its own for each; nothing runs on them. */
export async function seedNodes({ db, mesh }: MeshRecords, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await addNode(db, mesh, { name, address: `${name}.test` });
    const hash = createHash("sha256").update(`${mesh} ${name}`).digest("hex");
    await createToken(db, mesh, { node: name, hash, livesMs: 60_000 });
    const keys = { sign: generateSigningKey().publicKey, seal: (await generateSealIdentity()).recipient };
    await useToken(db, mesh, { node: name, hash, keys, incarnation: incarnationOf(keys.sign) });
  }
}

/** A module with a fit build, as if `build` was what its source came to. Again with another number: a newer build. */
export async function seedBuild(
  { db, mesh }: MeshRecords,
  module: string,
  build: number,
  manifest: Partial<Record<keyof Manifest, unknown>> = {},
): Promise<string> {
  await addRepository(db, mesh, { name: "source", url: "https://git.test/source.git" });
  await addModule(db, mesh, { name: module, repository: "source", branch: "main", path: module });
  const parsed = manifestSchema.parse({ module, language: "files", ...manifest });
  const digest = digestOf(`${module} ${build}`);
  await putArtifact(
    db,
    mesh,
    { module, digest, blob: digestOf(`blob ${module} ${build}`), blobBytes: 10, files: 1 },
    parsed,
  );
  const id = createHash("sha1").update(`${module} ${build}`).digest("hex");
  await recordSourceFacts(db, mesh, [
    {
      module,
      sourceCommit: id,
      sourceCommitAt: null,
      sourceSubject: null,
      tree: id,
      thirdParties: null,
      manifest: parsed,
      findings: [],
      problem: null,
      known: null,
    },
  ]);
  await recordModulePlans(db, mesh, [
    {
      module,
      standing: "current",
      standingWhy: "",
      wantedInputs: digestOf(`inputs ${module} ${build}`),
      fit: { inputs: digestOf(`inputs ${module} ${build}`), artifact: digest },
    },
  ]);
  return digest;
}

export async function seedAssignment(
  { db, mesh }: MeshRecords,
  node: string,
  module: string,
  config: Record<string, string> = {},
): Promise<void> {
  await assign(db, mesh, { node, module, config, providers: {} });
}

/** A provider of databases: no server behind it, only what composition reads. */
export const databaseProvider = {
  provides: [
    {
      kind: "postgresql",
      port: "${config.port}",
      admin: "127.0.0.1:${config.port}",
      adminUser: "admin",
      adminPasswordFile: "${data}/password",
    },
  ],
  config: { port: "5433" },
};

/** A consumer of one database. */
export const databaseConsumer = { requires: [{ name: "database", kind: "postgresql" }] };

function digestOf(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}
