import type { Parser, Tree } from "web-tree-sitter";

export interface ParseLimits {
  readonly characters: number;
  /** Of processor time: nothing else of the controller goes on meanwhile, and a busy machine is no file's fault. */
  readonly cpuMs: number;
}

/** Generated code is large, but seldom this large; what is made to be read slowly is small. */
export const parseLimits: ParseLimits = { characters: 1024 ** 2, cpuMs: 5_000 };

export type Parsing =
  | { readonly kind: "tree"; readonly tree: Tree }
  /** `why`: which limit it met. */
  | { readonly kind: "refused"; readonly why: string };

/** One file by a grammar, within limits: a grammar looks for what a text could mean, and some texts make it look for long. */
export function parseWithin(parser: Parser, text: string, limits: ParseLimits = parseLimits): Parsing {
  const { characters, cpuMs } = limits;
  if (text.length > characters) return { kind: "refused", why: `it has more than ${characters} characters` };
  const before = process.cpuUsage();
  const usedMs = (): number => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const tree = parser.parse(text, null, { progressCallback: () => usedMs() > cpuMs });
  if (tree !== null) return { kind: "tree", tree };
  parser.reset();
  return { kind: "refused", why: `it could not be read in ${cpuMs} ms of processor time` };
}
