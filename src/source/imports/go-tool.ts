import { spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { chmod, mkdir, readFile, rename, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { errorCode, whenThere } from "../../core/errors.ts";
import { failedStart } from "../failed-start.ts";
import { type GoRaw, goRawSchema } from "./go-raw.ts";
import type { GoToolchain } from "./go-toolchain.ts";

const toolSource = fileURLToPath(new URL("./go-tool/main.go", import.meta.url));
const buildMs = 5 * 60_000;

export interface GoToolLimits {
  /** For a whole batch of files; the program itself limits its memory and its time on the processor. */
  readonly wallMs: number;
}

const defaultLimits: GoToolLimits = { wallMs: 60_000 };
const outputBytesLimit = 64 * 1024 ** 2;

export type GoToolReading =
  | { readonly kind: "read"; readonly files: readonly GoRaw[] }
  /** It crashed, was too slow or said too much: a batch is read whole or not at all. */
  | { readonly kind: "failed"; readonly why: string };

/** Where what this product compiles for itself is kept: nobody else may write there. */
export function defaultToolFolder(): string {
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "mesh-delivery", "go");
}

/**
 * The program that reads imports by Go's own parser, made once for each toolchain: offline, from our own text, with the
 * standard library alone. Throws with the compiler's words.
 */
export async function buildGoTool(toolchain: GoToolchain, folder: string = defaultToolFolder()): Promise<string> {
  const source = await readFile(toolSource);
  const key = createHash("sha256").update(source).update(toolchain.version).update(process.arch).digest("hex");
  const program = join(folder, `imports-${key.slice(0, 16)}`);
  if ((await whenThere(stat(program))) !== null) return program;
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  const half = `${program}.${randomUUID()}`;
  const places = { HOME: folder, GOCACHE: join(folder, "build-cache"), GOPATH: join(folder, "path") };
  const offline = { GOENV: "off", GOWORK: "off", GOPROXY: "off", GOTOOLCHAIN: "local", GOTELEMETRY: "off" };
  const env = { PATH: "/usr/bin:/bin", ...places, ...offline, GO111MODULE: "on", CGO_ENABLED: "0" };
  const words = ["build", "-trimpath", "-buildvcs=false", "-o", half, toolSource];
  const child = spawn(toolchain.program, words, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const failure = await endOf(child, buildMs);
  if (failure !== null) throw new Error(`the reader of Go imports could not be compiled: ${failure}`);
  await rename(half, program);
  return program;
}

/** The imports of a batch by Go's own parser, in a process that has nothing of ours but the texts. */
export async function readByGoTool(
  program: string,
  texts: readonly string[],
  limits: GoToolLimits = defaultLimits,
): Promise<GoToolReading> {
  const env = { GOMAXPROCS: "2", GOTRACEBACK: "none" };
  const child = spawn(program, [], { cwd: "/", env, stdio: ["pipe", "pipe", "pipe"] });
  const failed = failedStart(child);
  if (failed !== null) throw await failed;
  const ended = endOf(child, limits.wallMs);
  // What ends early does not read to the end; how it ended says why.
  child.stdin.on("error", (error) => {
    if (errorCode(error) !== "EPIPE" && errorCode(error) !== "ECONNRESET") child.kill("SIGKILL");
  });
  child.stdin.end(texts.map((text) => `${JSON.stringify({ text })}\n`).join(""));
  const lines: string[] = [];
  let bytes = 0;
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      bytes += line.length;
      if (bytes > outputBytesLimit) return { kind: "failed", why: `it answered more than ${outputBytesLimit} bytes` };
      lines.push(line);
    }
    const failure = await ended;
    if (failure !== null) return { kind: "failed", why: failure };
    if (lines.length === texts.length)
      return { kind: "read", files: lines.map((line) => goRawSchema.parse(JSON.parse(line))) };
    return { kind: "failed", why: `it answered for ${lines.length} of ${texts.length} files` };
  } finally {
    child.kill("SIGKILL");
  }
}

/** Null: it ended well. */
async function endOf(child: ReturnType<typeof spawn>, wallMs: number): Promise<string | null> {
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said = `${said}${chunk.toString("utf8")}`.slice(-2000);
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, wallMs);
  try {
    return await new Promise<string | null>((resolve) => {
      child.once("error", (error) => resolve(`it does not start: ${error.message}`));
      child.once("close", (code, signal) => {
        const how = late ? `it took longer than ${wallMs} ms` : `it ended with ${signal ?? `code ${code}`}`;
        resolve(code === 0 ? null : `${how} ${said.trim()}`.trim());
      });
    });
  } finally {
    clearTimeout(timer);
  }
}
