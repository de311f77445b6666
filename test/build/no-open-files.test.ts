import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const from = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);

/** Uses up what this process may open, then starts programs. Its own process: a limit once lowered stays. */
const script = `
  const { openSync, writeSync } = await import("node:fs");
  const { runLimited } = await import(${from("build/run-limited.ts")});
  const { judgeError } = await import(${from("build/judge-error.ts")});
  const { runGit } = await import(${from("source/git.ts")});
  const { createObjectSession } = await import(${from("source/object-session.ts")});
  const { readByInterpreter } = await import(${from("source/imports/python-ast.ts")});
  const { readByGoTool } = await import(${from("source/imports/go-tool.ts")});
  const { tryDeepTexts } = await import(${from("source/imports/typescript-depth.ts")});
  const limits = { wallMs: 10_000, memoryBytes: 1 << 30, processes: 100, cpus: 1, outputBytes: 1 << 20, diskBytes: 1 << 30 };
  const run = { words: ["/bin/true"], cwd: "/", env: {}, limits, writable: [], group: null, inMemory: [], given: ["x"] };
  const session = createObjectSession({ dir: "/", waitMs: 10_000 });
  const text = { path: "a.ts", text: "", options: { lang: "ts", sourceType: "module" } };
  const starts = {
    sandbox: () => runLimited({ ...run, startsBlocked: true }),
    unsafely: () => runLimited({ ...run, startsBlocked: false, given: [] }),
    git: () => runGit({ args: ["version"], waitMs: 10_000 }),
    session: () => session.describe(["HEAD"]),
    python: () => readByInterpreter({ executable: "/bin/true" }, [{ path: "a.py", text: "" }]),
    go: () => readByGoTool("/bin/true", [""]),
    typescript: () => tryDeepTexts([text]),
  };
  // What it needs of files is found before there are none.
  await tryDeepTexts([text]);
  const said = {};
  process.on("unhandledRejection", (error) => (said.unhandled = String(error)));
  try { for (;;) openSync("/dev/null", "r"); } catch (error) { said.full = error.code; }
  for (const [what, start] of Object.entries(starts))
    said[what] = await start().then(() => "went", (error) => (error.code ?? String(error)) + " " + judgeError(error)?.class);
  await new Promise((resolve) => setImmediate(resolve));
  writeSync(1, JSON.stringify(said));
  process.exit(0);
`;

it("a program that cannot start for want of open files says so, and ends nothing else (R11, case 10)", async () => {
  const command = `ulimit -n 256 && exec "$0" "$@"`;
  const words = ["-c", command, process.execPath, "--import", "tsx", "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)("/bin/sh", words);
  const full = "EMFILE sandbox";
  expect(JSON.parse(stdout)).toEqual({
    full: "EMFILE",
    sandbox: full,
    unsafely: full,
    git: full,
    session: full,
    python: full,
    go: full,
    typescript: full,
  });
}, 60_000);
