/** Gathers an option that may be repeated. */
export function collect(word: string, words: readonly string[]): string[] {
  return [...words, word];
}
