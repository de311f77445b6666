/** Anything canonical JSON can hold here: numbers are safe integers. */
export type CanonicalValue =
  | string
  | number
  | boolean
  | null
  | readonly CanonicalValue[]
  | { readonly [key: string]: CanonicalValue | undefined };

/**
 * One text for one value: keys sorted by code unit, no white space, safe integers only. Two programs that hold
 * the same value arrive at the same text, and so at the same digest. Undefined members are left out.
 */
export function canonicalJson(value: CanonicalValue): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return quote(value);
  if (typeof value === "number") return integer(value);
  if (isList(value)) {
    let items = "";
    for (const item of value) items += items === "" ? canonicalJson(item) : `,${canonicalJson(item)}`;
    return `[${items}]`;
  }
  let members = "";
  for (const key of sortedKeys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    members += `${members === "" ? "" : ","}${quote(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

function isList(value: object): value is readonly CanonicalValue[] {
  return Array.isArray(value);
}

/** By code unit, as `<` compares. */
function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value);
  const isSorted = keys.every((key, at) => at === 0 || (keys[at - 1] ?? "") < key);
  return isSorted ? keys : keys.toSorted();
}

/** Printable ASCII that needs no escape: its JSON is itself, and most texts are of that kind. */
const plain = /^[ !#-[\]-~]*$/;

function quote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new TypeError("canonical JSON cannot hold a lone surrogate");
  return JSON.stringify(text);
}

function integer(value: number): string {
  if (!Number.isSafeInteger(value)) throw new TypeError(`canonical JSON holds safe integers only, not ${value}`);
  return String(value === 0 ? 0 : value);
}
