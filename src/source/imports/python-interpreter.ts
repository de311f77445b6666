import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { errorCode } from "../../core/errors.ts";
import { createAnswerMemory, createAsk, NoAnswerError } from "./ask-program.ts";
import { findProgram, markPrograms } from "./find-program.ts";
import { keptAnswer } from "./kept-interpreter.ts";

/** A Python that is installed on this machine, behind whatever shim or virtual environment the PATH names first. */
export interface PythonInterpreter {
  /** The real program, e.g. `/usr/bin/python3.11`. */
  readonly executable: string;
  /** Where its own library lives, e.g. `/usr`. */
  readonly base: string;
  /** e.g. `3.11.7`. */
  readonly version: string;
  /** e.g. `3.11`: what a virtual environment and a compiled package are made for. */
  readonly minor: string;
}

/** `_base_executable` is the program a virtual environment was made with; outside of one it is the program itself. */
const question = `
import json, os, sys
program = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
version = ".".join(str(part) for part in sys.version_info[:3])
minor = ".".join(str(part) for part in sys.version_info[:2])
print(json.dumps({"executable": program, "base": sys.base_prefix, "version": version, "minor": minor}))
`;

const answerSchema = z.strictObject({
  executable: z.string().startsWith("/"),
  base: z.string().startsWith("/"),
  version: z.string().regex(/^3\.\d+\.\d+$/),
  minor: z.string().regex(/^3\.\d+$/),
});

const keptSchema = z.strictObject({ marks: z.string(), interpreter: answerSchema });
type Known = z.infer<typeof keptSchema>;

let known: Known | null = null;

type Absent = Extract<FoundPython, { readonly kind: "absent" }>;

export type FoundPython =
  | { readonly kind: "found"; readonly interpreter: PythonInterpreter }
  | { readonly kind: "absent"; readonly why: string };

const absent = createAnswerMemory<Absent>(() => true);

/** Null: there is no `python3` on the PATH that answers now. */
export function findPython(folder?: string): PythonInterpreter | null {
  const found = lookForPython(folder);
  return found.kind === "found" ? found.interpreter : null;
}

/**
 * What answered once, to this process or to another of this user, is asked again when
 * it, or what chose it, was replaced: a shim takes a tenth of a second to answer. `folder`: where the answer is kept.
 */
export function lookForPython(folder?: string): FoundPython {
  const program = findProgram("python3");
  if (program === null) return { kind: "absent", why: "there is no python3 on the PATH" };
  const holds = (one: Known | null): one is Known => one !== null && one.marks === marksOf(program, one.interpreter);
  if (holds(known)) return { kind: "found", interpreter: known.interpreter };
  const silent = absent.find(marksOf(program));
  if (silent !== null) return silent;
  const kept = keptAnswer([program, question, ...Object.entries(ownEnvironment()).flat()], folder);
  known = parseKept(kept.read());
  if (holds(known)) return { kind: "found", interpreter: known.interpreter };
  const found = askInterpreter(program);
  known = null;
  if (found.kind === "absent") absent.keep(marksOf(program), found);
  else {
    known = { marks: marksOf(program, found.interpreter), interpreter: found.interpreter };
    kept.write(JSON.stringify(known));
  }
  return found;
}

/** What another version of this program kept says nothing. */
function parseKept(text: string | null): Known | null {
  if (text === null) return null;
  try {
    return keptSchema.parse(JSON.parse(text));
  } catch (error) {
    // absence is the answer: the program itself is asked
    if (error instanceof SyntaxError || error instanceof z.ZodError) return null;
    throw error;
  }
}

function marksOf(program: string, found?: PythonInterpreter): string {
  const shims = process.env["PYENV_ROOT"] ?? join(homedir(), ".pyenv");
  return markPrograms([
    program,
    ...(found === undefined ? [] : [found.executable]),
    join(shims, "version"),
    "/.python-version",
  ]);
}

/** Nothing else of our environment: nothing of a repository may choose which Python this is. */
function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    ["PATH", "HOME", "PYENV_ROOT"].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function askInterpreter(program: string): FoundPython {
  try {
    const answer = createAsk()(program, ["-I", "-S", "-B", "-c", question], ownEnvironment());
    return { kind: "found", interpreter: answerSchema.parse(JSON.parse(answer)) };
  } catch (error) {
    // absence is the answer: whether there is one cannot be told now, and a moment later it is asked again
    if (error instanceof NoAnswerError) return { kind: "absent", why: error.message };
    // absence is the answer: no such program, or one that does not run as Python 3
    if (errorCode(error) === "ENOENT" || errorCode(error) === "EACCES" || isFailedProgram(error))
      return { kind: "absent", why: `${program} does not answer as Python 3 does` };
    throw error;
  }
}

/** A shim with no version behind it ends with a code of its own; Python 2 prints what the schema or JSON refuses. */
function isFailedProgram(error: unknown): boolean {
  if (error instanceof z.ZodError || error instanceof SyntaxError) return true;
  return error instanceof Error && "status" in error && error.status !== null;
}
