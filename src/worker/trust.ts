import { readFile } from "node:fs/promises";
import { InputError } from "../core/errors.ts";
import type { Name } from "../core/names.ts";
import { keyIdOf, type SigningKey } from "../link/keys.ts";
import { verifyNextRoot } from "../link/next-root.ts";
import { renewSignature } from "../link/renew-signature.ts";
import { dropEpoch } from "../link/unordered-declaration.ts";
import { chooseKey, findNewestMissing, loadRoleKeys, rotatedKeyFile } from "../link/role-keys.ts";
import { verifyRoot, type Root } from "../link/root.ts";
import type { Queryable } from "../store/database.ts";
import { keepRoot, listRootsAfter } from "../store/roots.ts";
import { putRootsBack, saveRootFiles, type OpenGap } from "./keep-roots.ts";
import { listRootFilesAfter, readRootFiles, rootFolderOf } from "./root-folder.ts";
import type { ServeConfig } from "./serve-config.ts";

/** The root that this controller goes by, and the keys of it that it has. Both can be replaced while it runs. */
export interface Trust {
  readonly root: Root;
  /** The exact bytes, handed out at enrolment. */
  readonly rootBytes: Uint8Array;
  /** Throws InputError where the root lists none of the keys that are here: then nothing may be signed. */
  signingKey(role: "declaration" | "provenance"): SigningKey;
  /** The newest key that the root lists for the role, where it is not on this machine. */
  missingKey(role: "declaration" | "provenance"): MissingKey | null;
  /**
   * Signs how artifacts were built. Where the root lists none of those that are here, one that it does not list: builds go
   * on, `mesh artifact verify` refuses what it signs, and the condition says so. Throws InputError where there is none.
   */
  readonly builderKey: SigningKey;
  /** See `renewSignature`; as it is, where no key of ours may sign now. */
  renew(envelope: Uint8Array): Uint8Array;
  /** See `dropEpoch`. Throws InputError where nothing may be signed. */
  dropEpoch(envelope: Uint8Array): Uint8Array;
  /**
   * Goes on to what was published since, and reads the folder of keys again. Roots that the records lack are put back from
   * the folder of roots before that.
   */
  refresh(db: Queryable): Promise<Walked>;
  /** Every root up to the present one gets its file in the folder of roots. */
  saveRoots(db: Queryable): Promise<void>;
}

export interface MissingKey {
  readonly keyId: string;
  /** Where its private half would be. */
  readonly file: string;
}

export interface Walked {
  /** Why it goes no further: a root that the present one does not vouch for; null: none is refused. */
  readonly refused: { readonly message: string; readonly remedy: string } | null;
  /** What the records lack, and this machine cannot put back. */
  readonly gaps: readonly OpenGap[];
}

interface TrustState {
  root: Root;
  rootBytes: Buffer;
  declaration: readonly SigningKey[];
  provenance: readonly SigningKey[];
}

export interface OpenTrust {
  readonly mesh: Name;
  readonly keys: ServeConfig["keys"];
  readonly nowMs: () => number;
}

/** From the files of this controller. Throws InputError for a root document that cannot be believed. */
export async function openTrust({ mesh, keys, nowMs }: OpenTrust): Promise<Trust> {
  const rootBytes = await readFile(keys.rootFile);
  const verified = verifyRoot(rootBytes, { mesh });
  if (!verified.ok) throw new InputError(`${keys.rootFile}: ${verified.message}`, "restore it from a copy");
  const state: TrustState = { root: verified.root, rootBytes, ...(await loadKeys(keys)) };
  const folder = rootFolderOf(keys.rootFile);
  const signingKey: Trust["signingKey"] = (role) => {
    const key = chooseKey(state.root, role, state[role], nowMs());
    if (key !== null) return key;
    throw new InputError(
      `root ${state.root.version} lists no ${role} key that is on this machine and good now`,
      `mesh keys rotate ${role}, and publish the root that it writes`,
    );
  };
  return {
    get root() {
      return state.root;
    },
    get rootBytes() {
      return state.rootBytes;
    },
    signingKey,
    missingKey(role) {
      const missing = findNewestMissing(state.root, role, state[role], nowMs());
      if (missing === null) return null;
      const keyId = keyIdOf(missing.publicKey);
      const first = role === "declaration" ? keys.declarationKeyFile : keys.provenanceKeyFile;
      return { keyId, file: rotatedKeyFile(first, keyId) };
    },
    get builderKey() {
      const [unlisted] = state.provenance;
      return chooseKey(state.root, "provenance", state.provenance, nowMs()) ?? unlisted ?? signingKey("provenance");
    },
    renew(envelope) {
      const by = chooseKey(state.root, "declaration", state.declaration, nowMs());
      if (by === null) return envelope;
      return renewSignature(envelope, { root: state.root, own: state.declaration, by, nowMs: nowMs() });
    },
    dropEpoch: (envelope) => dropEpoch(envelope, { own: state.declaration, by: signingKey("declaration") }),
    async refresh(db) {
      Object.assign(state, await loadKeys(keys));
      return await walkRecords(db, { mesh, state, folder });
    },
    saveRoots: (db) =>
      saveRootFiles(db, mesh, { folder, newest: { version: state.root.version, envelope: state.rootBytes } }),
  };
}

async function loadKeys(keys: ServeConfig["keys"]): Promise<Pick<TrustState, "declaration" | "provenance">> {
  const [declaration, provenance] = await Promise.all([
    loadRoleKeys(keys.declarationKeyFile),
    loadRoleKeys(keys.provenanceKeyFile),
  ]);
  return { declaration: declaration.map(({ key }) => key), provenance: provenance.map(({ key }) => key) };
}

interface WalkRecords {
  readonly mesh: Name;
  readonly state: TrustState;
  readonly folder: string;
}

/** The records only carry roots: each counts by the one before, as it does for a host. */
async function walkRecords(db: Queryable, { mesh, state, folder }: WalkRecords): Promise<Walked> {
  // Also one that went away since: records may be replaced by older ones while this runs.
  await keepRoot(db, mesh, { version: state.root.version, envelope: state.rootBytes });
  const gaps = await putRootsBack(db, mesh, folder);
  for (const { version, envelope } of await listRootsAfter(db, mesh, state.root.version)) {
    // Missing, which `gaps` says: nobody wrote a false one.
    if (gaps.some(({ to }) => to === version - 1)) return { refused: null, gaps };
    const why = goOn(state, envelope);
    if (why !== null) {
      const remedy = "somebody wrote it past `mesh keys root publish`: remove that row of root_document";
      return { refused: { message: `root ${version} in the records is refused: ${why}`, remedy }, gaps };
    }
  }
  for (const version of await listRootFilesAfter(folder, state.root.version)) {
    const envelope = (await readRootFiles(folder, [version])).get(version);
    const why = envelope === undefined ? "it went away" : goOn(state, envelope);
    if (why !== null) {
      const message = `root ${version} in ${folder} is refused: ${why}`;
      return { refused: { message, remedy: "restore that file from a copy, or remove it" }, gaps };
    }
    await keepRoot(db, mesh, { version, envelope: state.rootBytes });
  }
  return { refused: null, gaps };
}

/** Why not; null: it is the present root now. */
function goOn(state: TrustState, envelope: Buffer): string | null {
  const next = verifyNextRoot(envelope, { have: state.root });
  if (!next.ok) return next.message;
  state.root = next.root;
  state.rootBytes = envelope;
  return null;
}
