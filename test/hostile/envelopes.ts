/** Bytes that come where an envelope is expected (case 45), made from a good one. */
export type HostileBytes = readonly [situation: string, bytes: Buffer];

interface EnvelopeParts {
  readonly payload: string;
  readonly payloadType: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

const text = (value: string): Buffer => Buffer.from(value, "utf8");

/** No envelope at all, whatever kind is expected. */
export const hostileBodies: readonly HostileBytes[] = [
  ["nothing", text("")],
  ["blanks", text("   ")],
  ["null", text("null")],
  ["a number", text("1e999")],
  ["a list", text("[]")],
  ["no JSON", text("hello")],
  ["half a text", text('{"payload": "')],
  ["bytes that are no UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  ["a byte order mark", text("\ufeff{}")],
  ["two million levels of lists", text("[".repeat(2_000_000))],
  ["two million levels of objects", text('{"a":'.repeat(2_000_000))],
  ["a hundred megabytes", Buffer.alloc(100 * 1024 * 1024, 0x20)],
  ["a prototype", text('{"__proto__": {"payload": "x"}}')],
  ["half of a surrogate pair", text('{"payload": "\\ud800", "payloadType": "x", "signatures": []}')],
  [
    "a hundred thousand signatures",
    text(`{"payload":"","payloadType":"x","signatures":[${'{"keyid":"","sig":""},'.repeat(100_000).slice(0, -1)}]}`),
  ],
];

/** One good envelope, changed in one place. */
export function changedEnvelopes(good: Buffer): readonly HostileBytes[] {
  const parts = JSON.parse(good.toString("utf8")) as EnvelopeParts;
  const put = (members: Partial<EnvelopeParts>): Buffer => text(JSON.stringify({ ...parts, ...members }));
  const [signature] = parts.signatures;
  if (signature === undefined) throw new Error("the good envelope has no signature");
  return [
    ["cut off", good.subarray(0, good.length - 1)],
    ["cut in the middle", good.subarray(0, good.length >> 1)],
    ["a blank behind it", Buffer.concat([good, text(" ")])],
    ["a second envelope behind it", Buffer.concat([good, good])],
    ["a blank inside", text(good.toString("utf8").replace(",", ", "))],
    ["a member twice", text(good.toString("utf8").replace("{", `{"payload":"",`))],
    ["an unknown member", put({ also: "x" } as Partial<EnvelopeParts>)],
    ["another payload type", put({ payloadType: "application/vnd.mesh.root.v1+json" })],
    ["no payload type", put({ payloadType: "" })],
    ["another payload", put({ payload: Buffer.from("{}").toString("base64") })],
    ["a payload with padding too much", put({ payload: `${parts.payload}=` })],
    ["a payload with a newline", put({ payload: `${parts.payload}\n` })],
    ["a payload in base64url", put({ payload: `${parts.payload.slice(0, 4)}-_-_${parts.payload.slice(8)}` })],
    ["no signatures", put({ signatures: [] })],
    ["a signature of zeros", put({ signatures: [{ ...signature, sig: Buffer.alloc(64).toString("base64") }] })],
    ["a short signature", put({ signatures: [{ ...signature, sig: "AAAA" }] })],
    ["a signature under another label", put({ signatures: [{ ...signature, keyid: "0".repeat(16) }] })],
    ...[0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999].map((place): HostileBytes => {
      const bytes = Buffer.from(good);
      const at = Math.floor(place * bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ 0x01;
      return [`a flipped bit at byte ${at}`, bytes];
    }),
  ];
}
