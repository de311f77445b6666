import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from "node:child_process";
import { Readable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { errorCode } from "../core/errors.ts";
import { failedStart } from "./failed-start.ts";

/**
 * Nothing of a repository runs: no hooks, no filters, no pager, no monitor, no submodules, no `ext::`. What a clone says
 * about itself is not asked: these come last and win.
 */
const hardening = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.pager=cat",
  "core.attributesFile=/dev/null",
  "protocol.ext.allow=never",
  "http.followRedirects=false",
  "http.lowSpeedLimit=1000",
  "http.lowSpeedTime=30",
  "fetch.recurseSubmodules=false",
  "fetch.writeCommitGraph=false",
  "fetch.unpackLimit=1",
  "submodule.recurse=false",
  "maintenance.auto=false",
  "gc.auto=0",
  "log.showSignature=false",
].flatMap((setting) => ["-c", setting]);

/** What git may take from our environment: a way out to the network, and the agent that holds ssh keys. */
const passedOn = [
  "PATH",
  "SSH_AUTH_SOCK",
  "SSL_CERT_FILE",
  "GIT_SSL_CAINFO",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "HTTPS_PROXY",
  "NO_PROXY",
];

function gitEnvironment(): Record<string, string> {
  const env: Record<string, string> = {
    HOME: "/nonexistent",
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "/bin/false",
    SSH_ASKPASS: "/bin/false",
    GIT_SSH_COMMAND: "ssh -oBatchMode=yes -oConnectTimeout=15",
    GIT_ALLOW_PROTOCOL: "file:https:ssh",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
  };
  for (const name of passedOn) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}

/** Settings as key and value, handed over in git's environment: no command line shows them. */
export type GitConfig = readonly (readonly [key: string, value: string])[];

function configEnvironment(config: GitConfig): Record<string, string> {
  const entries = config.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return config.length === 0 ? {} : { GIT_CONFIG_COUNT: String(config.length), ...Object.fromEntries(entries) };
}

export interface GitRun {
  readonly dir?: string;
  readonly args: readonly string[];
  readonly input?: Iterable<string | Uint8Array>;
  readonly waitMs: number;
  readonly config?: GitConfig;
  readonly signal?: AbortSignal | undefined;
  /** Called twice a second: a sentence ends the run with it. */
  readonly watch?: () => Promise<string | null>;
}

/** git did not do what it was asked: its exit code and its words, without ANSI and cut. */
export class GitError extends Error {
  override readonly name = "GitError";
  readonly code: number | null;
  readonly stderr: string;
  /** Set when we ended it: time, or what `watch` said. */
  readonly stopped: string | null;
  constructor(verb: string, code: number | null, stderr: string, stopped: string | null, options?: ErrorOptions) {
    super(`git ${verb} ${stopped ?? `ended with ${code ?? "a signal"}: ${stderr.trim()}`}`, options);
    this.code = code;
    this.stderr = stderr;
    this.stopped = stopped;
  }
}

const stderrLimit = 4000;

/** In groups of their own they would outlive us: one that a source keeps waiting, for ever. */
const living = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of living) killGroup(child);
});

/** A process of git in a group of its own, with nothing of our environment that it does not need. See `failedStart`. */
export function spawnGit(run: Pick<GitRun, "dir" | "args" | "config">): ChildProcessWithoutNullStreams {
  const child = spawn("git", [...hardening, ...(run.dir === undefined ? [] : [`--git-dir=${run.dir}`]), ...run.args], {
    cwd: "/",
    env: { ...gitEnvironment(), ...configEnvironment(run.config ?? []) },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  living.add(child);
  child.once("close", () => living.delete(child)).once("error", () => living.delete(child));
  return child;
}

/** Runs git and hands out its stdout as it comes. GitError when it fails; the whole process group ends with us. */
export async function* streamGit(run: GitRun): AsyncGenerator<Buffer, void, undefined> {
  run.signal?.throwIfAborted();
  const verb = run.args[0] ?? "";
  const child = spawnGit(run);
  const failed = failedStart(child);
  if (failed !== null) throw await failed;
  let stderr = "";
  let stopped: string | null = null;
  const stop = (why: string): void => {
    stopped ??= why;
    killGroup(child);
  };
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (stderr.length < stderrLimit) stderr += text;
  });
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  // absence is the answer: it is awaited below; it must only not be unhandled until then
  closed.catch(() => undefined);
  feed(child, run.input);
  const timer = setTimeout(() => stop(`was stopped after ${run.waitMs} ms`), run.waitMs);
  const watcher = run.watch === undefined ? undefined : watchRun(run.watch, stop);
  const onAbort = (): void => stop("was cancelled");
  run.signal?.addEventListener("abort", onAbort, { once: true });
  let ended = false;
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a stream without encoding hands out buffers
    for await (const chunk of child.stdout) yield chunk as Buffer;
    const code = await closed;
    ended = true;
    run.signal?.throwIfAborted();
    if (stopped !== null || code !== 0) throw new GitError(verb, code, cleanStderr(stderr), stopped);
  } finally {
    clearTimeout(timer);
    clearInterval(watcher);
    run.signal?.removeEventListener("abort", onAbort);
    if (!ended) killGroup(child);
  }
}

export async function runGit(run: GitRun & { readonly outputBytes?: number }): Promise<Buffer> {
  const limit = run.outputBytes ?? 16 * 1024 * 1024;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of streamGit(run)) {
    bytes += chunk.length;
    if (bytes > limit)
      throw new GitError(run.args[0] ?? "", null, "", `was stopped: it printed more than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function feed(child: ChildProcess, input: GitRun["input"]): void {
  const stdin = child.stdin;
  if (stdin === null) return;
  // EPIPE: git ended before it read all. Its exit code says why.
  stdin.on("error", () => undefined);
  if (input === undefined) stdin.end();
  else Readable.from(input).pipe(stdin);
}

function watchRun(watch: () => Promise<string | null>, stop: (why: string) => void): NodeJS.Timeout {
  return setInterval(() => {
    watch().then(
      (why) => {
        if (why !== null) stop(why);
      },
      (error: unknown) => stop(`was stopped: it could not be watched (${String(error)})`),
    );
  }, 500);
}

export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}

export function cleanStderr(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/[^\P{Cc}\n\t]/gu, " ")
    .slice(0, stderrLimit);
}
