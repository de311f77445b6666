const simple: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
};

/** A Go string literal's value; null where it is none. */
export function unquoteGo(literal: string): string | null {
  if (literal.startsWith("`")) return literal.slice(1, -1).replaceAll("\r", "");
  let bad = false;
  const text = literal
    .slice(1, -1)
    .replaceAll(
      /\\(?:x([0-9a-fA-F]{2})|([0-7]{3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([^]))/g,
      (_, hex: string | undefined, octal: string | undefined, short?: string, long?: string, sign?: string) => {
        const code = short ?? long ?? hex;
        const point = code === undefined ? Number.parseInt(octal ?? "", 8) : Number.parseInt(code, 16);
        if (sign === undefined && point <= 0x10ffff) return String.fromCodePoint(point);
        bad ||= sign === undefined || simple[sign] === undefined;
        return simple[sign ?? ""] ?? "";
      },
    );
  return bad ? null : text;
}
