import { scanJson } from "./scan-json.ts";

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly check: "size" | "schema"; readonly message: string };

/**
 * Bytes → value, after a scan for what `JSON.parse` lets through and two programs may read differently: depth
 * without end, duplicate keys, `__proto__`, numbers that are no safe integers, lone surrogates, bad UTF-8.
 */
export function parseSignedJson(
  bytes: Uint8Array,
  limits: { readonly bytes: number; readonly depth: number },
): ParsedJson {
  if (bytes.byteLength > limits.bytes)
    return { ok: false, check: "size", message: `${bytes.byteLength} bytes, more than ${limits.bytes}` };
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const finding = scanJson(text, limits.depth);
    if (finding !== null) return { ok: false, check: "schema", message: finding };
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    // SyntaxError of the text, TypeError of the decoder, RangeError of the engine: each is a refusal. What they
    // say may quote the text, so it is not passed on.
    if (error instanceof SyntaxError) return { ok: false, check: "schema", message: "not JSON" };
    if (error instanceof TypeError) return { ok: false, check: "schema", message: "not UTF-8" };
    if (error instanceof RangeError) return { ok: false, check: "size", message: "too much for the JSON parser" };
    throw error;
  }
}
