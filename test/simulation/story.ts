/** What happened, in words, and a hash of all of it: two runs of one seed have one hash. */
export interface Story {
  /** The last `keepLines`. */
  readonly lines: readonly string[];
  say(what: string): void;
  hash(): string;
}

export function createStory(nowMs: () => number, keepLines: number): Story {
  const lines: string[] = [];
  let hash = 0;
  return {
    lines,
    say(what) {
      const line = `${(nowMs() / 1000).toFixed(3)} s  ${what}`;
      for (let at = 0; at < line.length; at += 1) hash = Math.imul(hash ^ line.charCodeAt(at), 0x01000193);
      if (keepLines === 0) return;
      lines.push(line);
      if (lines.length > keepLines) lines.shift();
    },
    hash: () => (hash >>> 0).toString(16).padStart(8, "0"),
  };
}
