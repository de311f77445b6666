import { readFile } from "node:fs/promises";
import { InputError } from "../core/errors.ts";
import type { Name } from "../core/names.ts";
import type { SigningKey } from "../link/keys.ts";
import { verifyNextRoot } from "../link/next-root.ts";
import { renewSignature } from "../link/renew-signature.ts";
import { dropEpoch } from "../link/unordered-declaration.ts";
import { chooseKey, loadRoleKeys } from "../link/role-keys.ts";
import { verifyRoot, type Root } from "../link/root.ts";
import type { Queryable } from "../store/database.ts";
import { keepRoot, listRootsAfter } from "../store/roots.ts";
import type { ServeConfig } from "./serve-config.ts";

/** The root that this controller goes by, and the keys of it that it has. Both can be replaced while it runs. */
export interface Trust {
  readonly root: Root;
  /** The exact bytes, handed out at enrolment. */
  readonly rootBytes: Uint8Array;
  /** Throws InputError where the root lists none of the keys that are here: then nothing may be signed. */
  signingKey(role: "declaration" | "provenance"): SigningKey;
  /**
   * Signs how artifacts were built. Where the root lists none of those that are here, one that it does not list: builds go
   * on, `mesh artifact verify` refuses what it signs, and the condition says so. Throws InputError where there is none.
   */
  readonly builderKey: SigningKey;
  /** See `renewSignature`; as it is, where no key of ours may sign now. */
  renew(envelope: Uint8Array): Uint8Array;
  /** See `dropEpoch`. Throws InputError where nothing may be signed. */
  dropEpoch(envelope: Uint8Array): Uint8Array;
  /** Goes on to what was published since, and reads the folder of keys again. Why it goes no further, or null. */
  refresh(db: Queryable): Promise<string | null>;
}

interface TrustState {
  root: Root;
  rootBytes: Uint8Array;
  declaration: readonly SigningKey[];
  provenance: readonly SigningKey[];
  /** The version that is known to be in the records. */
  kept: number;
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
  const state: TrustState = { root: verified.root, rootBytes, kept: 0, ...(await loadKeys(keys)) };
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
      return await walkRecords(db, mesh, state);
    },
  };
}

async function loadKeys(keys: ServeConfig["keys"]): Promise<Pick<TrustState, "declaration" | "provenance">> {
  const [declaration, provenance] = await Promise.all([
    loadRoleKeys(keys.declarationKeyFile),
    loadRoleKeys(keys.provenanceKeyFile),
  ]);
  return { declaration: declaration.map(({ key }) => key), provenance: provenance.map(({ key }) => key) };
}

/** The records only carry roots: each counts by the one before, as it does for a host. */
async function walkRecords(db: Queryable, mesh: Name, state: TrustState): Promise<string | null> {
  if (state.kept < state.root.version) {
    await keepRoot(db, mesh, { version: state.root.version, envelope: state.rootBytes });
    state.kept = state.root.version;
  }
  for (const { version, envelope } of await listRootsAfter(db, mesh, state.root.version)) {
    const next = verifyNextRoot(envelope, { have: state.root });
    if (!next.ok) return `root ${version} in the records is refused: ${next.message}`;
    state.root = next.root;
    state.rootBytes = envelope;
    state.kept = version;
  }
  return null;
}
