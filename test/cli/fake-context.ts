import type { CliContext } from "../../src/cli/context.ts";
import type { TightDisk } from "../../src/core/tight-disk.ts";
import type { MeshConnection } from "../../src/cli/mesh-connection.ts";
import { run } from "../../src/cli/run.ts";
import type { RecordsIdentity } from "../../src/store/writers/database-role.ts";
import type { ExitCode } from "../../src/decide/exit-code.ts";

export interface Ran {
  readonly code: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether the command opened the mesh at all: bad input must be refused before. */
  readonly opened: boolean;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly openMesh?: (state: string, as: RecordsIdentity) => Promise<MeshConnection>;
  readonly interrupt?: AbortSignal;
  /** What the clock says; else it is the real one. */
  readonly now?: Date;
  /** Else every disk has room. */
  readonly findTightDisks?: (folders: readonly string[]) => readonly TightDisk[];
  /** Told of everything written to standard output so far. */
  readonly onOutput?: (stdout: string) => void;
  /** The same of standard error. */
  readonly onProgress?: (stderr: string) => void;
}

/** Runs one command line as `mesh` would, against a world of the test's own. */
export async function runMesh(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const written = { stdout: "", stderr: "", opened: false };
  const context: CliContext = {
    stdout: {
      isTerminal: false,
      write: (text) => {
        written.stdout += text;
        options.onOutput?.(written.stdout);
      },
    },
    stderr: {
      isTerminal: false,
      write: (text) => {
        written.stderr += text;
        options.onProgress?.(written.stderr);
      },
    },
    env: options.env ?? {},
    cwd: options.cwd ?? "/nowhere",
    now: () => options.now ?? new Date(),
    listenForInterrupt: () => options.interrupt ?? new AbortController().signal,
    watchReader: () => () => undefined,
    endWithin: () => undefined,
    findTightDisks: (folders) => Promise.resolve(options.findTightDisks?.(folders) ?? []),
    openMesh: async (state, as) => {
      written.opened = true;
      if (options.openMesh === undefined) throw new Error("this test opens no mesh");
      return await options.openMesh(state, as);
    },
  };
  const code = await run(argv, context, "1.2.3");
  return { code, ...written };
}
