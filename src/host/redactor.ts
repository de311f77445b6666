/** Knows the secrets this process has opened and takes them out of any text that leaves it (R46). */
export interface Redactor {
  readonly remember: (secret: string) => void;
  readonly redact: (text: string) => string;
}

/** A shorter secret would turn ordinary words into noise; minted ones are far longer. */
const shortestSecret = 6;

export function createRedactor(): Redactor {
  const spellings = new Set<string>();
  /** The longest first: one that begins another would leave the other's end behind. */
  let ordered: readonly string[] | null = [];
  return {
    remember(secret) {
      if (secret.length < shortestSecret) return;
      spellings.add(secret);
      spellings.add(encodeURIComponent(secret));
      spellings.add(Buffer.from(secret, "utf8").toString("base64").replace(/=+$/, ""));
      spellings.add(Buffer.from(secret, "utf8").toString("base64url"));
      spellings.add(JSON.stringify(secret).slice(1, -1));
      // Thousands may come one after the other: sorted when a text is next.
      ordered = null;
    },
    redact(text) {
      ordered ??= [...spellings].toSorted((a, b) => b.length - a.length);
      let clean = text;
      for (const spelling of ordered) clean = clean.replaceAll(spelling, "[REDACTED]");
      return clean;
    },
  };
}
