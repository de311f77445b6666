import { envelopeBytesLimit, type Content } from "../core/declaration.ts";
import type { Name } from "../core/names.ts";
import type { Problem } from "./composition.ts";

/** age's header for one recipient, its nonce and its tag. */
const ageBytes = 200;
/** A password has 32, and before them what a mesh may be set up to mark its passwords with: half of the most is counted on. */
const passwordCharacters = 48;
/** Who it is for, its order and times; and what is around the payload, with its signatures. */
const frameBytes = 2048;

/**
 * Bytes of the envelope in which this content travels: as many as it has, or a few per cent more. Boxes are sealed only where it
 * is sent, and one node too large must be known before a batch numbers, mints and signs. `contentBytes`: of its JSON in UTF-8.
 */
export function boundEnvelopeBytes(content: Content, contentBytes: number): number {
  const sealed = new Map<string, number>();
  for (const { provision, version, name } of listSealed(content))
    sealed.set(`${provision}#${version}`, boundBoxBytes(content.node, { provision, version, name }));
  let payload = contentBytes + frameBytes;
  for (const bytes of sealed.values()) payload += bytes;
  return base64Bytes(payload);
}

/** Null: hosts take it. */
export function findExcess(content: Content, contentBytes: number): Problem | null {
  const bytes = boundEnvelopeBytes(content, contentBytes);
  if (bytes <= envelopeBytesLimit) return null;
  const provided = content.resources.reduce((count, one) => count + (one.kind === "grant" ? one.grants.length : 0), 0);
  const own = content.resources.filter(({ kind }) => kind !== "grant");
  // What takes most of it is what has to become less.
  const isOwn = base64Bytes(Buffer.byteLength(JSON.stringify(own))) * 2 > bytes;
  const wayOut = isOwn
    ? "assign fewer modules to it, or make their files smaller"
    : `it provides for ${provided} consumers: add a provider on another node, and assign some of them with --provider to it`;
  const why = `the declaration of ${content.node} would have about ${bytes} bytes, and hosts accept ${envelopeBytesLimit}; ${wayOut}`;
  return { code: "too-large", module: null, why };
}

interface Sealed {
  readonly provision: string;
  readonly version: number;
  /** Of the database or vhost, and so of the user. */
  readonly name: string;
}

/** What a box travels with the content for. */
function listSealed({ resources }: Content): Sealed[] {
  return resources.flatMap((resource): readonly Sealed[] => {
    if (resource.kind === "grant") return resource.grants;
    return resource.kind === "file" && resource.content.from === "provisions" ? resource.content.references : [];
  });
}

/** The JSON around the words of a secret, and around those of its box in their list. */
const secretFrame = JSON.stringify({ node: "", provision: "", version: "", user: "", password: "" }).length;
const boxFrame = JSON.stringify({ provision: "", version: "", box: "" }).length;

/** Words are counted and not written: a provider has thousands. Names have no character that JSON escapes. */
function boundBoxBytes(node: Name, { provision, version, name }: Sealed): number {
  const words = provision.length + String(version).length;
  const secret = secretFrame + words + node.length + name.length + passwordCharacters;
  return boxFrame + words + base64Bytes(secret + ageBytes);
}

function base64Bytes(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
