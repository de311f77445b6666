import { declarationSchema, type Declaration, type Order } from "../core/declaration.ts";
import { InputError } from "../core/errors.ts";
import type { RefusalCheck } from "../core/report.ts";
import { digestValue } from "../decide/digest.ts";
import { openEnvelope, readUnverifiedBody, signEnvelope } from "./envelope.ts";
import type { SigningKey } from "./keys.ts";
import { defaultLinkLimits, type LinkLimits } from "./limits.ts";
import { parseBody } from "./parse-body.ts";
import { declarationKeysAt, whyExpired, type Root } from "./root.ts";

export type DeclarationRefusal = {
  readonly ok: false;
  readonly check: RefusalCheck;
  readonly message: string;
  /** The order it claimed; only read from a body whose signature was good. */
  readonly offered: Order | null;
};
export type OpenedDeclaration = {
  readonly ok: true;
  readonly declaration: Declaration;
  readonly keyIds: readonly string[];
};

/** Throws InputError when the result would be more than hosts accept. */
export function sealDeclaration(
  declaration: Declaration,
  keys: readonly SigningKey[],
  limits: LinkLimits = defaultLinkLimits,
): Buffer {
  const bytes = signEnvelope("declaration", Buffer.from(JSON.stringify(declaration), "utf8"), keys);
  if (bytes.byteLength > limits.envelopeBytes)
    throw new InputError(
      `the declaration for ${declaration.node} is ${bytes.byteLength} bytes, hosts accept ${limits.envelopeBytes}`,
      adviseSmaller(declaration),
    );
  return bytes;
}

/** What takes most of it is what has to become less. */
function adviseSmaller({ content, sealed }: Declaration): string {
  const provided = content.resources.flatMap((resource) => (resource.kind === "grant" ? resource.grants : []));
  const providedBytes = JSON.stringify([provided, sealed]).length;
  if (providedBytes * 2 < JSON.stringify([content, sealed]).length)
    return "Assign fewer modules to this node, or make their files smaller.";
  return `It provides for ${provided.length} consumers: add a provider on another node, and assign some of them with --provider to it.`;
}

/** All checks but the order's (that needs what the host has): signature, key, schema, mesh, node, incarnation, digest. */
export function openDeclaration(
  bytes: Uint8Array,
  options: {
    readonly root: Root;
    readonly mesh: string;
    readonly node: string;
    readonly incarnation: string;
    readonly nowMs: number;
    readonly limits?: LinkLimits;
  },
): OpenedDeclaration | DeclarationRefusal {
  const { root, limits = defaultLinkLimits } = options;
  // Every key of the root is tried, so that one of another role or time is told from one nobody knows.
  const opened = openEnvelope(bytes, {
    kind: "declaration",
    keys: root.keys.map(({ publicKey }) => publicKey),
    limits,
  });
  if (!opened.ok) return { ...opened, offered: null };
  const keys = declarationKeysAt(root, options.nowMs);
  const signedBy = opened.keyIds.filter((keyId) => keys.whyNot(keyId) === null);
  if (signedBy.length === 0)
    return { ok: false, check: "key", message: opened.keyIds.map(keys.whyNot).join("; "), offered: null };
  const expired = whyExpired(root, options.nowMs);
  if (expired !== null) {
    const message = `${expired}: a newer root has to be published before anything is accepted`;
    return { ok: false, check: "key", message, offered: null };
  }
  const parsed = parseBody(opened.body, declarationSchema, limits);
  if (!parsed.ok) return { ...parsed, offered: null };
  const refusal = checkAddress(parsed.value, options);
  if (refusal !== null) {
    const { epoch, number } = parsed.value;
    return { ok: false, ...refusal, offered: { epoch, number } };
  }
  return { ok: true, declaration: parsed.value, keyIds: signedBy };
}

/**
 * The same without signature and key. For one thing only: what a host has accepted and kept itself, after its key ended.
 * Everybody else wants `openDeclaration`.
 */
export function openKeptDeclaration(
  bytes: Uint8Array,
  options: { readonly mesh: string; readonly node: string; readonly incarnation: string; readonly limits?: LinkLimits },
): OpenedDeclaration | DeclarationRefusal {
  const { limits = defaultLinkLimits } = options;
  const read = readUnverifiedBody(bytes, "declaration", limits);
  if (!read.ok) return { ...read, offered: null };
  const parsed = parseBody(read.body, declarationSchema, limits);
  if (!parsed.ok) return { ...parsed, offered: null };
  const refusal = checkAddress(parsed.value, options);
  return refusal === null
    ? { ok: true, declaration: parsed.value, keyIds: [] }
    : { ok: false, ...refusal, offered: null };
}

/** Is it for this mesh, this node, this life of it, and is the content what the digest says? */
function checkAddress(
  declaration: Declaration,
  mine: { readonly mesh: string; readonly node: string; readonly incarnation: string },
): { readonly check: RefusalCheck; readonly message: string } | null {
  if (declaration.mesh !== mine.mesh) return { check: "mesh", message: `it is for mesh ${declaration.mesh}` };
  if (declaration.node !== mine.node) return { check: "node", message: `it is for node ${declaration.node}` };
  if (declaration.content.node !== mine.node)
    return { check: "node", message: `its content is for node ${declaration.content.node}` };
  if (declaration.incarnation !== mine.incarnation)
    return {
      check: "incarnation",
      message: `it is for incarnation ${declaration.incarnation.slice(0, 64)} of this node, this is ${mine.incarnation}`,
    };
  if (digestValue(declaration.content) !== declaration.digest)
    return { check: "digest", message: "its content does not have the digest it says" };
  return null;
}
