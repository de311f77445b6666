import type { UnavailableError } from "../core/errors.ts";
import type { TightDisk } from "../core/tight-disk.ts";
import type { RecordsIdentity } from "../store/writers/database-role.ts";
import type { MeshConnection } from "./mesh-connection.ts";

/** The world outside, as commands see it: a test gives its own. */
export interface CliContext {
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  now(): Date;
  /** From now on Ctrl-C (and SIGTERM) aborts this signal and no longer ends the process by itself. */
  listenForInterrupt(): AbortSignal;
  /**
   * For who writes seldom and goes on without end: a reader of standard output that goes is noticed at once, as a write would
   * notice it. Answers how to end that.
   */
  watchReader(): () => void;
  /** Whatever it still waits for, this process has ended by then: with this error's words and exit code 3, if it has not answered. */
  endWithin(ms: number, error: UnavailableError): void;
  /** Which disks of these folders have little or no room. */
  findTightDisks(folders: readonly string[]): Promise<readonly TightDisk[]>;
  /** Opens the mesh kept in a state folder, with the rights of `as`. Connects when first asked something. */
  openMesh(stateFolder: string, as: RecordsIdentity): Promise<MeshConnection>;
}

export interface TextOutput {
  readonly isTerminal: boolean;
  write(text: string): void;
}
