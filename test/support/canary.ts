/** A marker and the spellings in which it could hide (R46, case 51). */
export interface Canary {
  readonly marker: string;
  /** In which spelling the marker is in these bytes; null: it is not there. */
  find(bytes: Uint8Array): string | null;
}

/**
 * `marker`: what every secret of a run begins with. Letters, digits, and one sign that URLs encode, so that the encoded
 * spelling is another than the clear one.
 */
export function createCanary(marker: string): Canary {
  const spellings: [string, Buffer][] = [
    ["in clear", Buffer.from(marker)],
    ["URL-encoded", Buffer.from(encodeURIComponent(marker))],
    [
      "URL-encoded in small letters",
      Buffer.from(encodeURIComponent(marker).replaceAll(/%../g, (code) => code.toLowerCase())),
    ],
    ["in hexadecimal", Buffer.from(Buffer.from(marker).toString("hex"))],
    ["in UTF-16", Buffer.from(marker, "utf16le")],
  ];
  for (const [form, text] of [
    ["", marker],
    [" of the URL-encoded one", encodeURIComponent(marker)],
  ] as const) {
    for (const alignment of [0, 1, 2]) {
      for (const encoding of ["base64", "base64url"] as const)
        spellings.push([
          `in ${encoding}${form} at alignment ${alignment}`,
          Buffer.from(innerBase64(text, alignment, encoding)),
        ]);
    }
  }
  return {
    marker,
    find(bytes) {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return spellings.find(([, spelling]) => buffer.includes(spelling))?.[0] ?? null;
    },
  };
}

/** The signs that do not depend on what comes before or after the marker, which begins `alignment` bytes into a group. */
function innerBase64(marker: string, alignment: number, encoding: "base64" | "base64url"): string {
  const bytes = Buffer.concat([Buffer.alloc(alignment), Buffer.from(marker)]);
  const first = Math.ceil((alignment * 4) / 3);
  const whole = Math.floor((bytes.length * 8) / 6);
  return bytes.toString(encoding).slice(first, whole);
}
