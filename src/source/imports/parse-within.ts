import type { Parser, Tree } from "web-tree-sitter";
import { readThreadMs } from "./thread-time.ts";

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
  const isOver = createCpuLimit(cpuMs);
  const tree = parser.parse(text, null, { progressCallback: isOver });
  if (tree !== null) return { kind: "tree", tree };
  parser.reset();
  return { kind: "refused", why: `it could not be read in ${cpuMs} ms of processor time` };
}

/**
 * Whether this thread has used that much since. The process's own time is asked first, which costs nothing and is never
 * less: what else runs in it makes nobody's file a slow one.
 */
export function createCpuLimit(
  cpuMs: number,
  { processMs, threadMs }: CpuClocks = { processMs: readProcessMs, threadMs: readThreadMs },
): () => boolean {
  const began = processMs();
  // Read late, since most files are read in no time.
  let base: number | null | "not read" = "not read";
  return () => {
    const usedMs = processMs() - began;
    if (base === "not read" && usedMs < cpuMs / 10) return false;
    if (base === "not read") base = threadMs();
    if (usedMs <= cpuMs) return false;
    const now = base === null ? null : threadMs();
    return base === null || now === null || now - base > cpuMs;
  };
}

export interface CpuClocks {
  readonly processMs: () => number;
  /** Null: the system does not say. */
  readonly threadMs: () => number | null;
}

function readProcessMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
