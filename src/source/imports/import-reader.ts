import { z } from "zod";
import type { Language } from "../../core/manifest.ts";
import type { Name } from "../../core/names.ts";
import type { Finding } from "../finding.ts";

export const importKindSchema = z.enum(["static", "dynamic", "require", "type", "reexport", "side-effect"]);
export type ImportKind = z.infer<typeof importKindSchema>;

export const importSchema = z.strictObject({
  specifier: z.string(),
  kind: importKindSchema,
  line: z.number().int().positive(),
  /** Only tests are made of it although the file is no test (Rust's `#[cfg(test)]`). */
  test: z.boolean().optional(),
  /** The code goes on without it (Python's caught `ImportError`): what is nobody's is then a warning. */
  optional: z.boolean().optional(),
});
export type Import = z.infer<typeof importSchema>;

/** What one file says about imports: a function of its bytes and the reader, so it is kept by blob id. */
export const fileImportsSchema = z.strictObject({
  imports: z.array(importSchema),
  /** Specifiers that cannot be known, syntax that cannot be read. */
  findings: z.array(
    z.strictObject({
      severity: z.enum(["error", "warning"]),
      line: z.number().int().nonnegative(),
      message: z.string(),
    }),
  ),
});
export type FileImports = z.infer<typeof fileImportsSchema> & {
  /** By another reader than the one that the key names, which failed on it in this moment: not kept for the next one. */
  readonly isMakeshift?: true;
};

/** Lock files are the largest; past this a fact file is refused, not read. */
export const factBytesLimit = 20 * 1024 * 1024;

/** Texts of the files a language keeps its own facts in, by path relative to the module's folder. */
export type FactFiles = ReadonlyMap<string, string>;

/** One module's folder as a language sees it. */
export interface ModuleText {
  readonly facts: FactFiles;
  /** Every file's path, relative to the module's folder. */
  readonly files: readonly string[];
}

export interface PublishedNames {
  /** What other modules of the same language import this one by; empty where it cannot be imported. */
  readonly names: readonly string[];
  readonly findings: readonly Finding[];
}

/** What a lock file resolves for one module: equal entries are equal packages, however the file is written. */
export type LockReading =
  | { readonly kind: "none" }
  /** One line for each package with its digest, sorted. */
  | { readonly kind: "locked"; readonly entries: readonly string[] }
  | { readonly kind: "refused"; readonly finding: Finding };

/** A workspace's lock file, as it is for one of its members. */
export type MemberLock =
  /** Text of a lock file that the module could have in its own folder. */
  | { readonly kind: "lock"; readonly text: string }
  /** The file is not about this folder. */
  | { readonly kind: "not-a-member" }
  | { readonly kind: "refused"; readonly finding: Finding };

/** An edge that is written in a fact file and checked by the compiler (Rust's `[dependencies]`). */
export interface DeclaredImport {
  readonly owner: Name;
  readonly use: "build" | "test";
  readonly file: string;
  readonly line: number;
}

export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** Where one import leads. No owner and no finding: inside the module, to the language itself, or to third parties. */
export interface Resolution {
  readonly owner: Name | null;
  /** Others that it leads to as well: an alias has a target for each condition. */
  readonly more?: readonly Name[];
  readonly finding: { readonly severity: "error" | "warning"; readonly message: string } | null;
}

export interface ResolverContext extends ModuleText {
  readonly module: Name;
  /** Name by which a module of the same language is imported → module. */
  readonly published: ReadonlyMap<string, Name>;
  /** Who owns a path that leaves this module's folder; the path is relative to that folder. Null: nobody. */
  readonly ownerOfPath: (path: string) => Name | null;
  /** Fact files of another module of the same language. */
  readonly factsOf: (module: Name) => FactFiles;
}

export interface Resolver {
  /** About the fact files themselves. */
  readonly findings: readonly Finding[];
  readonly declared: readonly DeclaredImport[];
  /** `file` is relative to the module's folder; `test`: only tests are made of it. */
  resolve(file: string, found: Import, use: "build" | "test"): Resolution;
}

/** One per language. Adding a language is adding a file that makes one of these. */
export interface ImportReader {
  readonly language: Language;
  /** Files (of the module's folder) whose text the functions below want. Lock files too. */
  readonly factFiles: readonly string[];
  /** The same for files whose names are not known before. */
  isFact?(path: string): boolean;
  /** Does the build include this file? Relative to the module's folder. */
  isSource(path: string): boolean;
  isTest(path: string): boolean;
  /** Finds out which reader really reads on this machine: before it `readerKey` may name one that does not. */
  prepare?(): Promise<void>;
  /** What, beside the bytes, decides what is read: the reader's version and the dialect. Part of the cache's key. */
  readerKey(path: string): string;
  /** It asks no other program: what it reads may be read in another thread, by a reader that is made there. */
  readonly needsBytesAlone?: true;
  /** In the order given. */
  readImports(files: readonly SourceText[]): Promise<readonly FileImports[]>;
  publishNames(module: ModuleText): PublishedNames;
  /** Lock files among the fact files: they are no part of the module's tree, what they resolve is (R8). */
  readonly lockFiles: readonly string[];
  readLock(facts: FactFiles): LockReading;
  /** Where one lock file may serve all members of a workspace: it lies in a folder above a module that has none itself. */
  readonly workspaceLock?: {
    /** One of `lockFiles`. */
    readonly file: string;
    /** `member`: the module's folder relative to that of the lock file. */
    read(text: string, member: string, facts: FactFiles): MemberLock;
  };
  createResolver(context: ResolverContext): Resolver;
}
