import { createHash } from "node:crypto";
import type { ArtifactStore } from "../build/artifact-store.ts";
import { describeArtifact, describeStatement } from "../build/artifact-manifest.ts";
import { errorCode, InputError, UnavailableError } from "../core/errors.ts";
import type { Digest, Name } from "../core/names.ts";
import { digestValue } from "../decide/digest.ts";
import { compareStatement } from "../decide/provenance.ts";
import { contentDigest } from "../link/artifact/content-digest.ts";
import { listArtifactFiles } from "../link/artifact/walk-artifact.ts";
import { defaultLinkLimits } from "../link/limits.ts";
import { openProvenance } from "../link/provenance-envelope.ts";
import type { Root } from "../link/root.ts";
import type { ArtifactRecord } from "../store/artifacts.ts";
import { getBuild } from "../store/builds.ts";
import type { Queryable } from "../store/database.ts";
import { listProvenance, type ProvenanceRecord } from "../store/provenance.ts";

export interface VerifyArtifact {
  readonly db: Queryable;
  readonly mesh: Name;
  readonly store: ArtifactStore;
  readonly root: Root;
  readonly signal?: AbortSignal | undefined;
}

export interface ArtifactFault {
  readonly check: "collected" | "blob" | "content" | "manifest" | "provenance" | "records";
  readonly message: string;
}

/**
 * Everything that can be held against what the records say of an artifact: the bytes, what is in them, the manifest
 * beside them, and every statement about how it was built, its signature by the root's role, and its closure. No fault:
 * it is what it says. A store that does not answer is an UnavailableError, never a fault.
 */
export async function verifyArtifact(deps: VerifyArtifact, record: ArtifactRecord): Promise<ArtifactFault[]> {
  if (record.collectedAt !== null)
    return [
      { check: "collected", message: `it was collected at ${record.collectedAt}: it is built again when wanted` },
    ];
  return [
    ...(await verifyBytes(deps, record)),
    ...(await verifyManifest(deps, record)),
    ...(await verifyStatements(deps, record)),
  ];
}

/**
 * What of an artifact's files is not there, or is not what it was: bytes, manifest, statements, as phrases. Signatures and
 * closures are not asked about. None: all is there.
 */
export async function findLostFiles(
  deps: Pick<VerifyArtifact, "db" | "mesh" | "store" | "signal">,
  record: ArtifactRecord,
): Promise<string[]> {
  const faults = [...(await verifyBytes(deps, record)), ...(await verifyManifest(deps, record))];
  const lost = faults.map(({ message }) => message);
  for (const { statement } of await listStatementsOf(deps, record)) {
    const bytes = await readStatement(deps.store, statement);
    if (typeof bytes === "string") lost.push(`its statement ${statement.slice(7, 19)}: ${bytes}`);
  }
  return lost;
}

/** Statements of it whose bytes can be read are `kept`; the others are nobody's any more. */
export async function sortStatements(
  deps: Pick<VerifyArtifact, "db" | "mesh" | "store">,
  record: ArtifactRecord,
): Promise<{ readonly kept: Digest[]; readonly lost: Digest[] }> {
  const sorted: { kept: Digest[]; lost: Digest[] } = { kept: [], lost: [] };
  for (const { statement } of await listStatementsOf(deps, record))
    sorted[typeof (await readStatement(deps.store, statement)) === "string" ? "lost" : "kept"].push(statement);
  return sorted;
}

function listStatementsOf(
  { db, mesh }: Pick<VerifyArtifact, "db" | "mesh">,
  { artifact: { module, digest } }: ArtifactRecord,
): Promise<ProvenanceRecord[]> {
  return listProvenance(db, mesh, { module, artifact: digest });
}

type Reads = Pick<VerifyArtifact, "store" | "signal">;

async function verifyBytes(deps: Reads, { artifact }: ArtifactRecord): Promise<ArtifactFault[]> {
  const found = await hashBlob(deps, artifact.blob);
  if (found === null) return [{ check: "blob", message: `its bytes ${artifact.blob} are not in the artifact store` }];
  if (found.digest !== artifact.blob)
    return [{ check: "blob", message: `its bytes are ${found.digest}, the records say ${artifact.blob}` }];
  const faults: ArtifactFault[] = [];
  if (found.bytes !== artifact.blobBytes)
    faults.push({ check: "blob", message: `it has ${found.bytes} bytes, the records say ${artifact.blobBytes}` });
  try {
    const entries = await answer(async () =>
      listArtifactFiles({ from: await deps.store.openBlob(artifact.blob), signal: deps.signal }),
    );
    const content = contentDigest(entries);
    if (content !== artifact.digest)
      faults.push({ check: "content", message: `its content is ${content}, the records say ${artifact.digest}` });
    if (entries.length !== artifact.files)
      faults.push({ check: "content", message: `it has ${entries.length} files, the records say ${artifact.files}` });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    faults.push({ check: "content", message: error.message });
  }
  return faults;
}

async function verifyManifest(deps: Reads, record: ArtifactRecord): Promise<ArtifactFault[]> {
  const { entry, config } = describeArtifact(record.artifact, record.manifest);
  const parts = [
    ["its manifest", entry.digest],
    ["its config", `sha256:${createHash("sha256").update(config, "utf8").digest("hex")}`],
  ] as const;
  const faults: ArtifactFault[] = [];
  for (const [what, digest] of parts) {
    const message = await describeBlobFault(deps, what, digest);
    if (message !== null) faults.push({ check: "manifest", message });
  }
  return faults;
}

async function verifyStatements(deps: VerifyArtifact, record: ArtifactRecord): Promise<ArtifactFault[]> {
  const kept = await listStatementsOf(deps, record);
  if (kept.length === 0) {
    const message = "no statement says how it was built: it is from before there were any, or they were taken away";
    return [{ check: "provenance", message }];
  }
  const faults: ArtifactFault[] = [];
  for (const one of kept)
    for (const { check, message } of await verifyStatement(deps, record, one))
      faults.push({ check, message: `statement ${one.statement.slice(7, 19)}: ${message}` });
  return faults;
}

async function verifyStatement(
  deps: VerifyArtifact,
  record: ArtifactRecord,
  kept: ProvenanceRecord,
): Promise<ArtifactFault[]> {
  const bytes = await readStatement(deps.store, kept.statement);
  if (typeof bytes === "string") return [{ check: "provenance", message: bytes }];
  const subject = describeArtifact(record.artifact, record.manifest).entry;
  const referrer = describeStatement(subject, { digest: kept.statement, bytes: bytes.length }).entry.digest;
  const beside =
    referrer === kept.referrer
      ? await describeBlobFault(deps, "the manifest that ties it to the artifact", referrer)
      : `the manifest that ties it to the artifact should be ${referrer}, the records say ${kept.referrer}`;
  const faults: ArtifactFault[] = beside === null ? [] : [{ check: "provenance", message: beside }];
  const opened = openProvenance(bytes, { root: deps.root, keptAtMs: Date.parse(kept.keptAt) });
  if (!opened.ok) return [...faults, { check: "provenance", message: opened.message }];
  const build = await getBuild(deps.db, deps.mesh, kept.module, kept.inputs);
  if (build === null)
    return [...faults, { check: "records", message: `no build at inputs ${kept.inputs} is recorded` }];
  if (digestValue(build.closure) !== kept.inputs)
    faults.push({ check: "records", message: `the closure that is recorded does not have the inputs ${kept.inputs}` });
  const differences = compareStatement(opened.statement, {
    mesh: deps.mesh,
    artifact: record.artifact,
    inputs: kept.inputs,
    closure: build.closure,
    commit: kept.commit,
  });
  return [...faults, ...differences.map((message): ArtifactFault => ({ check: "provenance", message }))];
}

/** The bytes, hashed; a string: what is wrong with them. */
export async function readStatement(store: ArtifactStore, digest: Digest): Promise<Buffer | string> {
  const found = await answer(() => store.statBlob(digest));
  if (found === null) return "it is not in the artifact store";
  if (found.bytes > defaultLinkLimits.envelopeBytes) return `it has ${found.bytes} bytes, no statement has so many`;
  const bytes = await answer(async () => {
    const pieces: Buffer[] = [];
    for await (const piece of (await store.openBlob(digest)) as AsyncIterable<Buffer>) pieces.push(piece);
    return Buffer.concat(pieces);
  });
  const hashed = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  return hashed === digest ? bytes : `its bytes are ${hashed}, the records say ${digest}`;
}

async function describeBlobFault(deps: Reads, what: string, digest: Digest): Promise<string | null> {
  const found = await hashBlob(deps, digest);
  if (found === null) return `${what} ${digest} is not in the artifact store`;
  return found.digest === digest ? null : `the bytes of ${what} are ${found.digest}, they should be ${digest}`;
}

/** Null: not there. */
async function hashBlob(
  { store, signal }: Reads,
  digest: Digest,
): Promise<{ readonly digest: Digest; readonly bytes: number } | null> {
  return await answer(async () => {
    if ((await store.statBlob(digest)) === null) return null;
    const hash = createHash("sha256");
    let bytes = 0;
    for await (const piece of (await store.openBlob(digest)) as AsyncIterable<Buffer>) {
      signal?.throwIfAborted();
      hash.update(piece);
      bytes += piece.length;
    }
    return { digest: `sha256:${hash.digest("hex")}`, bytes };
  });
}

/** A disk that does not read says nothing about the artifact: cannot tell. */
async function answer<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (errorCode(error) === null) throw error;
    const message = error instanceof Error ? error.message : "";
    throw new UnavailableError(`the artifact store does not read: ${message}`, "look at its disk and its rights", {
      cause: error,
    });
  }
}
