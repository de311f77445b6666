import type { OutstandingClass, Verdict } from "../core/artifact.ts";
import { errorCode, InputError, UnavailableError } from "../core/errors.ts";
import { BusyLockError } from "./index-lock.ts";
import { ArtifactLimitError } from "./pack.ts";

type Judgement = Exclude<Verdict, { verdict: "fit" }>;

interface Failure {
  readonly class: OutstandingClass;
  readonly next: string;
}

const notWritable =
  "Give the controller's user the right to read and write there (its owner and mode, and those above it)";
const tooManyFiles = "Raise the limit on open files of the controller (ulimit -n, LimitNOFILE), or build fewer at once";

/** What the system says when a folder of ours cannot be used: it repeats until somebody acts, and is not the module's fault. */
const failures: Readonly<Record<string, Failure>> = {
  ENOSPC: { class: "disk", next: "Make room on that disk" },
  EDQUOT: { class: "disk", next: "Make room within that quota" },
  EIO: { class: "disk", next: "Look at the disk: it does not read or write" },
  EROFS: { class: "disk", next: "Mount that file system for writing" },
  EACCES: { class: "disk", next: notWritable },
  EPERM: { class: "disk", next: notWritable },
  ENOTDIR: { class: "disk", next: "Something on that path is a file where a folder must be: move it away" },
  EMFILE: { class: "sandbox", next: tooManyFiles },
  ENFILE: { class: "sandbox", next: "The machine has no room for more open files: raise fs.file-max" },
};

/** What the environment did, outside the sandbox; null for a mistake of ours. */
export function judgeError(error: unknown): Judgement | null {
  const message = error instanceof Error ? error.message : String(error);
  const failure = failures[errorCode(error) ?? ""];
  if (failure !== undefined)
    return { verdict: "outstanding", class: failure.class, message: describe(error, message, failure.next) };
  // Before what it is besides: no source is in the way, and nothing of the store is lost.
  if (error instanceof BusyLockError) return { verdict: "outstanding", class: "disk", message };
  if (error instanceof UnavailableError) return { verdict: "outstanding", class: "source", message };
  if (error instanceof ArtifactLimitError) return { verdict: "outstanding", class: "limit", message };
  // Packing found what no artifact may hold.
  if (error instanceof InputError) return { verdict: "unfit", stage: "compile", message };
  return null;
}

/** The system's own words name the path of most calls; where they do not, and there is one, it is said first. */
function describe(error: unknown, message: string, next: string): string {
  const path = error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : null;
  const where = path === null || message.includes(path) ? "" : `${path}: `;
  return `the build could not use its files: ${where}${message}. ${next}; it is tried again by itself.`;
}
