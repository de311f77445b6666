export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly check: "size" | "schema"; readonly message: string };

/** Bytes → value, after a scan for size, depth, duplicate keys, `__proto__`, unsafe numbers and lone surrogates. */
export function parseSignedJson(
  _bytes: Uint8Array,
  _limits: { readonly bytes: number; readonly depth: number },
): ParsedJson {
  throw new Error("not written yet");
}
