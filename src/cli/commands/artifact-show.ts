import type { CommandDefinition } from "../command.ts";
import { findArtifacts, loadArtifacts, type KnownArtifact } from "../artifacts/load-artifacts.ts";
import { openKnownStore, readRoot } from "../artifacts/open-store.ts";
import { rowOf } from "../artifacts/row-of.ts";
import { readStatement } from "../../activities/verify-artifact.ts";
import type { ArtifactStore } from "../../build/artifact-store.ts";
import { InputError } from "../../core/errors.ts";
import { listArtifactFiles } from "../../link/artifact/walk-artifact.ts";
import { openProvenance } from "../../link/provenance-envelope.ts";
import type { Root } from "../../link/root.ts";
import { listChecksOf } from "../../store/build-checks.ts";
import { listFitBuilds } from "../../store/builds.ts";
import { listProvenance, type ProvenanceRecord } from "../../store/provenance.ts";
import type { MeshConnection } from "../mesh-connection.ts";
import { type ArtifactDocument, artifactText } from "../text/artifact-text.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
What it was built from, who signed that, what a second build gave, and which files are in it. A module stands for its
newest fit artifact; a digest may be cut to 7 digits or more.

Examples:
  mesh artifact show meshboard
  mesh artifact show 4f1c2a9b77de --json`;

export const artifactShowCommand: CommandDefinition = {
  configure: (command) => {
    command.argument("<artifact>", "a digest, or a module").addHelpText("after", help);
  },
  run: async (call) =>
    await withMesh(call, async (connection) => {
      const known = await loadArtifacts(connection.db, connection.mesh);
      const found = findArtifacts(known, String(call.args[0]));
      const documents: ArtifactDocument[] = [];
      for (const one of found) documents.push(await describe(connection, one));
      const texts = documents.map((document) => artifactText(document, call.context.now()));
      return { code: 0, document: { artifacts: documents }, text: texts.join("\n\n") };
    }),
};

async function describe(connection: MeshConnection, known: KnownArtifact): Promise<ArtifactDocument> {
  const { db, mesh } = connection;
  const { module, digest } = known.artifact;
  const store = await openKnownStore(connection);
  const root = await readRoot(connection);
  const statements: ArtifactDocument["statements"][number][] = [];
  for (const kept of await listProvenance(db, mesh, { module, artifact: digest }))
    statements.push(await describeStatement(store, root, kept));
  const builds = (await listFitBuilds(db, mesh, [digest])).filter((build) => build.module === module);
  return {
    artifact: rowOf(known),
    builds: builds.map(({ inputs, commit, closure }) => ({ inputs, commit, closure })),
    statements,
    checks: await listChecksOf(db, mesh, { module, artifact: digest }),
    ...(await listFiles(store, known)),
  };
}

async function describeStatement(
  store: ArtifactStore,
  root: Root,
  { statement: digest, keptAt }: ProvenanceRecord,
): Promise<ArtifactDocument["statements"][number]> {
  const bytes = await readStatement(store, digest);
  if (typeof bytes === "string") return { digest, keptAt, signedBy: null, why: bytes, statement: null };
  const opened = openProvenance(bytes, { root, keptAtMs: Date.parse(keptAt) });
  return opened.ok
    ? { digest, keptAt, signedBy: opened.keyIds, why: null, statement: opened.statement }
    : { digest, keptAt, signedBy: null, why: opened.message, statement: null };
}

async function listFiles(
  store: ArtifactStore,
  known: KnownArtifact,
): Promise<Pick<ArtifactDocument, "files" | "filesWhy">> {
  if (known.collectedAt !== null) return { files: null, filesWhy: "they were collected" };
  try {
    const entries = await listArtifactFiles({ from: await store.openBlob(known.artifact.blob) });
    return { files: entries.map(({ path, mode, bytes }) => ({ path, mode, bytes })), filesWhy: null };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { files: null, filesWhy: error.message };
  }
}
