const simple: Readonly<Record<string, string>> = {
  "\\": "\\",
  "'": "'",
  '"': '"',
  n: "\n",
  r: "\r",
  t: "\t",
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
  "\n": "",
};

const escape = /\\(\r?\n|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|[0-7]{1,3}|[^])/g;

/** The value of one string literal as it is written; null for bytes, for an f-string, and for `\N{…}`. */
export function readPythonString(text: string): string | null {
  const parts = /^([A-Za-z]*)("""|'''|"|')([^]*)\2$/.exec(text);
  const prefix = (parts?.[1] ?? "b").toLowerCase();
  const body = parts?.[3];
  if (body === undefined || /[bft]/.test(prefix) || (!prefix.includes("r") && body.includes("\\N"))) return null;
  return prefix.includes("r") ? body : body.replaceAll(escape, (whole, code: string) => decode(whole, code));
}

function decode(whole: string, code: string): string {
  const known = simple[code.replace("\r", "")];
  if (known !== undefined && code.length <= 2) return known;
  if (/^[0-7]/.test(code)) return String.fromCodePoint(Number.parseInt(code, 8));
  const point = /^[xuU]/.test(code) ? Number.parseInt(code.slice(1), 16) : Number.NaN;
  // An unknown escape stays as it is written, as Python keeps it.
  return point <= 0x10_ff_ff ? String.fromCodePoint(point) : whole;
}
