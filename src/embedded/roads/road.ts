import type { Progress } from "../progress.ts";

/** One way to a `temporal` binary. */
export interface Road {
  /** Such as "temporal on the PATH". */
  readonly name: string;
  /** Answers where the binary is, in a folder that stays. Throws, with the reason, when this road does not lead there. */
  find(context: RoadContext): Promise<string>;
}

export interface RoadContext {
  readonly env: NodeJS.ProcessEnv;
  /** Folders that keep binaries of earlier runs, the first writable one takes new ones. */
  readonly cacheFolders: readonly string[];
  /** CLI versions that have a database here already: those are taken before newer ones. */
  readonly keptVersions: readonly string[];
  readonly downloadUrl: string;
  readonly progress: Progress;
}
