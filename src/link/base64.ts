/**
 * Strict base64: Node's own decoder ignores rubbish (`aGk=!!!!` reads as `hi`), so what is decoded is encoded
 * again and compared. Null: not exactly one text for these bytes.
 */
export function decodeBase64(text: string, encoding: "base64" | "base64url" = "base64"): Buffer | null {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : null;
}
