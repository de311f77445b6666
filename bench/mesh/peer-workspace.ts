import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { coreText, makeWaveModules, waveNames } from "./wave-modules.ts";

const run = promisify(execFile);
const compiler = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
/** nx reads no sources without a TypeScript that has an API. */
const tools = ["turbo@2.11.11", "nx@24.0.6", "typescript@5.9.3", "@types/node@20.19.43"];

/** The same modules as a workspace of npm, each with a script that runs the same compiler. */
export interface PeerWorkspace {
  touchCore(comment: string, value: number): Promise<void>;
  /** Runs `build` of all that the tool thinks is out of date, in ms; the count is of scripts that really ran. */
  runTurbo(): Promise<PeerRun>;
  runNx(): Promise<PeerRun>;
  /** The same commands for all modules, the library first, as many at once as there are cores, and no tool. */
  runBare(): Promise<PeerRun>;
  close(): Promise<void>;
}

export interface PeerRun {
  readonly ms: number;
  readonly scripts: number;
}

export async function openPeerWorkspace(count: number): Promise<PeerWorkspace> {
  const root = await mkdtemp(join(tmpdir(), "mesh-bench-peers-"));
  for (const [path, text] of Object.entries(makeWaveModules(count))) {
    if (!path.endsWith("/mesh.yaml")) await write(join(root, "packages", path), addScript(path, text));
  }
  await write(
    join(root, "package.json"),
    toJson({ name: "peers", private: true, packageManager: "npm@10.8.2", workspaces: ["packages/*"] }),
  );
  await write(join(root, "turbo.json"), toJson({ tasks: { build: { dependsOn: ["^build"], outputs: ["dist/**"] } } }));
  await write(
    join(root, "nx.json"),
    toJson({ targetDefaults: { build: { dependsOn: ["^build"], cache: true, outputs: ["{projectRoot}/dist"] } } }),
  );
  await write(join(root, ".gitignore"), "node_modules\ndist\n.turbo\n.nx\nran\n");
  const call = (command: string, args: readonly string[]): Promise<unknown> =>
    run(command, args, { cwd: root, env: environment(root), maxBuffer: 64 * 1024 * 1024 });
  await call("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", ...tools]);
  await call("git", ["init", "--quiet"]);
  const parallel = String(availableParallelism());
  return {
    touchCore: (comment, value) => writeFile(join(root, "packages/core/src/index.ts"), coreText(comment, value)),
    runTurbo: () =>
      timed(root, () => call(join(root, "node_modules/.bin/turbo"), ["run", "build", `--concurrency=${parallel}`])),
    runNx: () =>
      timed(root, () =>
        call(join(root, "node_modules/.bin/nx"), ["run-many", "-t", "build", `--parallel=${parallel}`]),
      ),
    runBare: () =>
      timed(root, async () => {
        await buildBare(call, root, "core");
        const left = waveNames(count);
        const work = async (): Promise<void> => {
          for (let name = left.shift(); name !== undefined; name = left.shift()) await buildBare(call, root, name);
        };
        await Promise.all(Array.from({ length: availableParallelism() }, work));
      }),
    close: () => rm(root, { recursive: true, force: true }),
  };
}

function buildBare(call: (command: string, args: readonly string[]) => Promise<unknown>, root: string, name: string) {
  return call("npm", ["run", "--silent", "build", "--prefix", join(root, "packages", name)]);
}

async function timed(root: string, act: () => Promise<unknown>): Promise<PeerRun> {
  await rm(join(root, "ran"), { recursive: true, force: true });
  await mkdir(join(root, "ran"));
  const from = performance.now();
  await act();
  const ms = performance.now() - from;
  const { stdout } = await run("ls", [join(root, "ran")]);
  return { ms, scripts: stdout.split("\n").filter((line) => line !== "").length };
}

/** A script leaves a mark when it runs: a tool's own words are not asked. */
function addScript(path: string, text: string): string {
  if (!path.endsWith("/package.json")) return text;
  const name = dirname(path);
  const dependencies = name === "core" ? {} : { "@test/core": "*" };
  const build = `node ${compiler} -p tsconfig.json --outDir dist --rootDir src --declaration && touch ../../ran/${name}`;
  const described: unknown = JSON.parse(text);
  return toJson({ ...(described as object), dependencies, scripts: { build } });
}

function environment(root: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    HOME: root,
    NX_DAEMON: "false",
    NX_TUI: "false",
    TURBO_TELEMETRY_DISABLED: "1",
    DO_NOT_TRACK: "1",
    CI: "1",
  };
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
