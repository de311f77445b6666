import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { UnavailableError } from "../../core/errors.ts";
import { failedStart } from "../failed-start.ts";
import { readInHalves } from "./read-in-halves.ts";

const require = createRequire(import.meta.url);

/**
 * The parser goes down one level of its stack for each level of the code, and one that meets its end takes the whole
 * process along. A level needs one of these characters or words: a file that has fewer of them all together cannot come
 * near it (the least that was seen to is 4,000 brackets). Wherever they stand: in a comment they count too.
 */
const levelsThatFit = 2_000;
const deepens = new Uint8Array(128);
for (const mark of "([{<>?!~+-*/.:=&|^%`@#") deepens[mark.charCodeAt(0)] = 1;
const deepeningWords =
  /\b(?:typeof|void|await|new|delete|else|do|in|of|as|is|keyof|infer|unique|readonly|extends|satisfies|instanceof|yield|asserts|abstract|async)\b/g;

/** May this file be nested so deeply that reading it is a risk? */
export function mayBeTooDeep(text: string): boolean {
  if (text.length <= levelsThatFit) return false;
  let levels = 0;
  for (let at = 0; at < text.length; at += 1) {
    levels += deepens[text.charCodeAt(at)] ?? 0;
    if (levels > levelsThatFit) return true;
  }
  return levels + (text.match(deepeningWords)?.length ?? 0) > levelsThatFit;
}

export interface DeepText {
  readonly path: string;
  readonly text: string;
  readonly options: object;
}

const readMs = 60_000;

/** Half of the stack that we have ourselves: what fits there fits here. */
const withHalfTheStack = 'ulimit -s 4096; exec "$@"';

const script = `
const { parse } = require(process.argv[1]);
let text = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => (text += chunk)).on("end", async () => {
  for (const one of JSON.parse(text)) void (await parse(one.path, one.text, one.options)).program;
});
`;

/**
 * Which of these the parser cannot read, by trying it in a process of its own that has nothing but the texts. Null for what
 * it can, else why not.
 */
export async function tryDeepTexts(texts: readonly DeepText[]): Promise<readonly (string | null)[]> {
  return readInHalves<DeepText, string | null>(texts, {
    read: async (some) => {
      const why = await tryApart(some);
      return why === null ? { kind: "read", files: some.map(() => null) } : { kind: "failed", why };
    },
    otherwise: async (some, why) => some.map(() => why),
  });
}

/** Null: all of them can be read. */
async function tryApart(texts: readonly DeepText[]): Promise<string | null> {
  const words = ["-c", withHalfTheStack, "read", process.execPath, "-e", script, require.resolve("oxc-parser")];
  const child = spawn("/bin/sh", words, { cwd: "/", env: {}, stdio: ["pipe", "ignore", "pipe"], timeout: readMs });
  const failed = failedStart(child);
  if (failed !== null) throw await failed;
  // What ends early does not read to the end; how it ended says why.
  child.stdin.on("error", () => undefined);
  child.stdin.end(JSON.stringify(texts));
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said = `${said}${chunk.toString("utf8")}`.slice(-300)));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0) resolve(null);
      else if (signal === "SIGSEGV" || signal === "SIGABRT" || signal === "SIGBUS" || /call stack/.test(said))
        resolve("it is nested more deeply than can be read");
      // Killed, or out of memory: nothing that the texts are to blame for.
      else
        reject(
          new UnavailableError(
            `trying to read deeply nested code ended with ${signal ?? `code ${code}`}: ${said.trim()}`,
          ),
        );
    });
  });
}
