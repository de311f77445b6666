import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";

const execute = promisify(execFile);

/** nx reads no sources without a TypeScript that has an API. */
const packages = [
  "turbo@2.11.11",
  "nx@24.0.6",
  "typescript@5.9.3",
  "@moonrepo/cli@2.5.5",
  "lage@2.17.0",
  "pnpm@10.18.0",
];

/** A tool that says which packages the last commit reaches. */
export interface AffectedPeer {
  readonly name: string;
  readonly readsImports: boolean;
  /** Names of packages, without their scope, sorted. */
  ask(): Promise<string[]>;
  /** Forgets what it kept of the workspace; null: nothing that we know of. */
  readonly forget: (() => Promise<unknown>) | null;
}

/** What a workspace of npm has at its root; each tool finds its own file. */
export const rootFiles: Readonly<Record<string, string>> = {
  "package.json": `{"name":"peers","version":"1.0.0","private":true,"packageManager":"npm@10.8.2","workspaces":["packages/*"]}\n`,
  "package-lock.json": `{"name":"peers","version":"1.0.0","lockfileVersion":3,"packages":{}}\n`,
  "pnpm-workspace.yaml": "packages:\n  - packages/*\nlinkWorkspacePackages: true\n",
  "turbo.json": `{"tasks":{"build":{"dependsOn":["^build"]}}}\n`,
  // Without it nx reads no source where none of its plugins is installed.
  "nx.json": `{"pluginsConfig":{"@nx/js":{"analyzeSourceFiles":true}}}\n`,
  "lage.config.js": `module.exports = { pipeline: { build: ["^build"] } };\n`,
  ".moon/workspace.yml": "projects: ['packages/*']\nvcs:\n  defaultBranch: main\n",
  ".gitignore": "node_modules\n.turbo\n.nx\n.moon/cache\n",
};

/** Installs the tools once, into a folder of the user's cache. */
export async function installPeers(): Promise<string> {
  const key = createHash("sha256").update(packages.join(" ")).digest("hex").slice(0, 12);
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const folder = join(cache, "mesh-delivery", "bench-peers", key);
  // absence is the answer: that is the question.
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  if (isThere) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const making = await mkdtemp(`${folder}.`);
  await writeFile(join(making, "package.json"), `{"name":"bench-peers","private":true}\n`);
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", ...packages];
  await execute("npm", args, { cwd: making, timeout: 600_000 });
  await rename(making, folder);
  return folder;
}

const namesSchema = z.array(z.string());
const namedSchema = z.array(z.object({ name: z.string() }));

export async function openPeers(
  folder: string,
  workspace: string,
): Promise<{ readonly peers: readonly AffectedPeer[]; close(): Promise<void> }> {
  await symlink(join(folder, "node_modules"), join(workspace, "node_modules"));
  const home = join(folder, "home");
  await mkdir(home, { recursive: true });
  const call = async (program: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> => {
    const answering = execute(join(workspace, "node_modules", ".bin", program), args, {
      cwd: workspace,
      env: { PATH: process.env["PATH"], HOME: home, DO_NOT_TRACK: "1", TURBO_TELEMETRY_DISABLED: "1", ...env },
      maxBuffer: 256 * 1024 * 1024,
      timeout: 120_000,
    });
    // moon and pnpm read what comes by a pipe, and wait for its end.
    answering.child.stdin?.end();
    return (await answering).stdout;
  };
  const askNx = async (daemon: "true" | "false"): Promise<string[]> =>
    // As text it is cut short on a pipe.
    bare(
      namesSchema.parse(
        JSON.parse(
          await call("nx", ["show", "projects", "--affected", "--base=HEAD~1", "--head=HEAD", "--json"], {
            NX_DAEMON: daemon,
            NX_TUI: "false",
          }),
        ),
      ),
    );
  const resetNx = (): Promise<unknown> => call("nx", ["reset"], { NX_TUI: "false" });
  const peers: AffectedPeer[] = [
    {
      name: "turbo ls --affected",
      readsImports: false,
      forget: null,
      ask: async () => {
        const text = await call("turbo", ["ls", "--affected", "--output=json"], { TURBO_SCM_BASE: "HEAD~1" });
        const answer = z.object({ packages: z.object({ items: namedSchema }) }).parse(JSON.parse(text));
        return bare(answer.packages.items.map((one) => one.name));
      },
    },
    { name: "nx, daemon", readsImports: true, ask: () => askNx("true"), forget: null },
    { name: "nx, no daemon", readsImports: true, ask: () => askNx("false"), forget: resetNx },
    {
      name: "moon query affected",
      readsImports: false,
      forget: null,
      ask: async () => {
        // A continuous integration's checkout is compared with the commit before.
        const text = await call("moon", ["query", "affected", "--downstream", "deep"], { CI: "1" });
        const answer = z.object({ projects: z.record(z.string(), z.unknown()) }).parse(JSON.parse(text));
        return bare(Object.keys(answer.projects));
      },
    },
    {
      name: "pnpm ls --filter",
      readsImports: false,
      forget: null,
      ask: async () => {
        const args = ["ls", "-r", "--depth", "-1", "--json", "--filter", "...[HEAD~1]"];
        const text = await call("pnpm", args, { npm_config_package_manager_strict: "false", CI: "1" });
        return bare(namedSchema.parse(JSON.parse(text)).map((one) => one.name));
      },
    },
    {
      name: "lage info --since",
      readsImports: false,
      forget: null,
      ask: async () => {
        const text = await call("lage", ["info", "build", "--since", "HEAD~1", "--reporter", "json"]);
        const answer = z
          .object({ data: z.object({ scope: namesSchema }) })
          .parse(JSON.parse(text.split("\n")[0] ?? ""));
        return bare(answer.data.scope);
      },
    },
  ];
  return {
    peers,
    close: async () => {
      // absence is the answer: a daemon that cannot be asked to end has ended; its folder goes next.
      await call("nx", ["daemon", "--stop"], { NX_TUI: "false" }).catch(() => undefined);
      await rm(join(workspace, "node_modules"));
    },
  };
}

function bare(names: readonly string[]): string[] {
  return names.map((name) => name.replace("@bench/", "")).toSorted();
}
