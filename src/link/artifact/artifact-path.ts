/**
 * Why a name in an artifact must not become a path on a machine; null when it may (case 49). The packer and the
 * unpacker ask the same question, so what is packed can be unpacked.
 */
export function describeUnsafeName(name: string): string | null {
  if (name === "") return "an empty name";
  if (name.startsWith("/")) return "an absolute name";
  if (!name.isWellFormed() || /[\p{Cc}\\\ufffd]/u.test(name))
    return "control characters, backslashes or bytes that are not UTF-8 in a name";
  if (Buffer.byteLength(name) > 1000) return "a name of more than 1000 bytes";
  const segments = name.split("/");
  if (segments.length > 60) return "a name deeper than 60 folders";
  for (const segment of segments) {
    if (segment === "" || segment === "." || segment === "..") return "an empty, . or .. segment";
    if (Buffer.byteLength(segment) > 255) return "a segment of more than 255 bytes";
  }
  return null;
}
