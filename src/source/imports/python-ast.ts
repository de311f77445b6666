import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { errorCode } from "../../core/errors.ts";
import { failedStart } from "../failed-start.ts";
import type { SourceText } from "./import-reader.ts";
import { pythonAstScript } from "./python-ast-script.ts";
import type { PythonInterpreter } from "./python-interpreter.ts";
import { type RawImports, rawImportsSchema } from "./python-raw-imports.ts";

export interface AstLimits {
  /** For a whole batch of files. */
  readonly wallMs: number;
  readonly memoryBytes: number;
}

const defaultLimits: AstLimits = { wallMs: 60_000, memoryBytes: 2 * 1024 ** 3 };

/** One answer for a file is not longer than this many times its text, and never longer than this. */
const outputBytesLimit = 64 * 1024 ** 2;

export type AstReading =
  | { readonly kind: "read"; readonly files: readonly RawImports[] }
  /** It crashed, was too slow or was too large: a batch is read whole or not at all. */
  | { readonly kind: "failed"; readonly why: string };

/** The imports of a batch by the interpreter's own parser, in a process without our environment or any package. */
export async function readByInterpreter(
  interpreter: PythonInterpreter,
  files: readonly SourceText[],
  limits: AstLimits = defaultLimits,
): Promise<AstReading> {
  const words = ["-I", "-S", "-B", "-W", "ignore", "-c", pythonAstScript, String(limits.memoryBytes)];
  const child = spawn(interpreter.executable, words, { cwd: "/", env: {}, stdio: ["pipe", "pipe", "pipe"] });
  const failed = failedStart(child);
  if (failed !== null) throw await failed;
  let stopped: string | null = null;
  const stop = (why: string): void => {
    stopped ??= why;
    child.kill("SIGKILL");
  };
  const timer = setTimeout(() => stop(`it took longer than ${limits.wallMs} ms`), limits.wallMs);
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said = `${said}${chunk.toString("utf8")}`.slice(-2000);
  });
  const ended = new Promise<string | null>((resolve) => {
    child.once("error", (error) => resolve(`it does not start: ${error.message}`));
    child.once("close", (code, signal) => resolve(code === 0 ? null : `it ended with ${signal ?? `code ${code}`}`));
  });
  // What ends early does not read to the end; the code it ends with says why.
  child.stdin.on("error", (error) => {
    if (errorCode(error) !== "EPIPE" && errorCode(error) !== "ECONNRESET") stop(error.message);
  });
  child.stdin.end(files.map(({ text }) => `${JSON.stringify({ text: withoutMark(text) })}\n`).join(""));
  const answers: RawImports[] = [];
  let bytes = 0;
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      bytes += line.length;
      if (bytes > outputBytesLimit) stop(`it answered more than ${outputBytesLimit} bytes`);
      else answers.push(rawImportsSchema.parse(JSON.parse(line)));
    }
    const failure = await ended;
    const why = stopped ?? (failure === null ? null : `${failure} ${said.trim().split("\n").at(-1) ?? ""}`.trim());
    if (why !== null) return { kind: "failed", why };
    if (answers.length !== files.length)
      return { kind: "failed", why: `it answered for ${answers.length} of ${files.length} files` };
    return { kind: "read", files: answers };
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}

/** A byte order mark is allowed before the text of a file, and is no part of it. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
