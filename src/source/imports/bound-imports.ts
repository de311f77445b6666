import type { Name } from "../../core/names.ts";
import type { Finding } from "../finding.ts";
import type { FileImports } from "./import-reader.ts";

/** Imports of one file, and findings of it. Nobody writes so many; a file of 4 MiB has room for 400,000. */
const mostOfFile = 10_000;

/** Imports and findings of all files of a module: what is kept in memory of it, and what its edges cost. */
const mostOfModule = 400_000;

/** What is past the limit is left out, and an error says so: a module with a missing edge must not be built. */
export function boundImports(read: FileImports): FileImports {
  const { imports, findings } = read;
  const past = [
    ...(imports.length > mostOfFile ? [`more than ${mostOfFile} imports, so not all of them are known`] : []),
    ...(findings.length > mostOfFile ? [`more than ${mostOfFile} faults and imports that cannot be known`] : []),
  ];
  if (past.length === 0) return read;
  const said = past.map((what) => ({ severity: "error" as const, line: 0, message: `has ${what}: split the file` }));
  return { ...read, imports: imports.slice(0, mostOfFile), findings: [...said, ...findings.slice(0, mostOfFile)] };
}

/** How often each module has one blob: the same bytes may lie at a thousand paths. */
export type Holders = ReadonlyMap<Name, number>;

export interface ModuleBounds {
  /** Counts what one blob says for each module that has it. */
  add(holders: Holders, read: FileImports): void;
  /** Nobody who is within the limit has it: it need not be read. */
  isNobodys(holders: Holders): boolean;
  /** Modules past the limit, in whatever order their files are counted. */
  readonly past: ReadonlyMap<Name, Finding>;
}

export function createModuleBounds(): ModuleBounds {
  const counts = new Map<Name, number>();
  const past = new Map<Name, Finding>();
  const message = `more than ${mostOfModule} imports, so not all of them are known: make several modules of it`;
  return {
    past,
    add: (holders, { imports, findings }) => {
      for (const [module, times] of holders) {
        const count = (counts.get(module) ?? 0) + times * (imports.length + findings.length);
        counts.set(module, count);
        if (count > mostOfModule) past.set(module, { severity: "error", file: ".", line: 0, message });
      }
    },
    isNobodys: (holders) => [...holders.keys()].every((module) => past.has(module)),
  };
}
