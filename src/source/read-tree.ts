import type { ObjectId } from "../core/names.ts";
import type { Finding } from "./finding.ts";
import type { Repository } from "./repository.ts";

export interface TreeFile {
  /** Relative to the module's folder, forward slashes. */
  readonly path: string;
  readonly mode: "644" | "755";
  readonly blob: ObjectId;
  readonly bytes: number;
}

export interface TreeLimits {
  readonly files: number;
  readonly bytes: number;
  readonly depth: number;
}

export const treeLimits: TreeLimits = { files: 20_000, bytes: 512 * 1024 * 1024, depth: 40 };

export type TreeReading =
  | {
      readonly kind: "tree";
      readonly tree: ObjectId;
      readonly files: readonly TreeFile[];
      readonly findings: readonly Finding[];
    }
  /** No folder of that name at that commit. */
  | { readonly kind: "missing"; readonly why: string }
  /** Past a limit, or a path that could leave its folder. */
  | { readonly kind: "refused"; readonly why: string };

export interface ReadTree {
  readonly repository: Repository;
  readonly commit: ObjectId;
  /** As registered: `.` or a folder. */
  readonly path: string;
  /** Folders (relative to `path`) of other modules inside this one. */
  readonly without?: readonly string[];
  readonly limits?: TreeLimits;
}

/** The module's tree at a commit. Links and submodules are findings of severity *error*. */
export async function readTree(_options: ReadTree): Promise<TreeReading> {
  throw new Error("not written yet");
}
