/** Batches that fail are halved until the file that does it is alone; past so many failures the rest is read otherwise. */
const failureLimit = 24;

type Batch<Answer> =
  | { readonly kind: "read"; readonly files: readonly Answer[] }
  | { readonly kind: "failed"; readonly why: string };

export interface ReadInHalves<Text, Answer> {
  /** A batch is read whole or not at all. */
  readonly read: (texts: readonly Text[]) => Promise<Batch<Answer>>;
  /** What cannot be read so, with the reason. */
  readonly otherwise: (texts: readonly Text[], why: string) => Promise<readonly Answer[]>;
}

/** What makes a reader fail is found by halves: what one file does is no harm to those that happen to be beside it. */
export async function readInHalves<Text, Answer>(
  texts: readonly Text[],
  { read, otherwise }: ReadInHalves<Text, Answer>,
  count = { failures: 0 },
): Promise<readonly Answer[]> {
  if (texts.length === 0) return [];
  const reading = await read(texts);
  if (reading.kind === "read") return reading.files;
  count.failures += 1;
  if (texts.length === 1 || count.failures > failureLimit) return otherwise(texts, reading.why);
  const middle = texts.length >> 1;
  const first = await readInHalves(texts.slice(0, middle), { read, otherwise }, count);
  return [...first, ...(await readInHalves(texts.slice(middle), { read, otherwise }, count))];
}
