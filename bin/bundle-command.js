// The command line as one file, mesh-command.cjs, made of what tsc wrote (decision 0029). A process of its own: esbuild goes
// with it.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { runBundle } from "./run-bundle.js";

const [dist, step] = process.argv.slice(2);

async function bundle() {
  const { build } = createRequire(import.meta.url)("esbuild");
  const { outputFiles } = await build({
    stdin: { contents: `export * from "./cli/main.js";`, resolveDir: dist },
    outfile: join(dist, "mesh-command.cjs"),
    write: false,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    minifyWhitespace: true,
    lineLimit: 160,
    logLevel: "warning",
    legalComments: "none",
    external: ["@temporalio/*", "esbuild", "typescript"],
    plugins: [places, controller],
  });
  const code = outputFiles[0].text;
  // It is read as one byte a character.
  if (/[^\0-\x7f]/.test(code)) throw new Error("the bundle of the command has other characters than ASCII");
  // zod compiles a function for each schema of an object, which pays after some thousand objects: after most commands' end.
  const interpreted = `globalThis.__zod_globalConfig={jitless:true};`;
  const placeOf = `const placeOf=(path)=>require("node:url").pathToFileURL(require("node:path").join(__dirname,path)).href;`;
  const body = `${interpreted}${placeOf}\n${code}`;
  const stamp = createHash("sha256").update(body).digest("hex").slice(0, 32);
  writeFileSync(
    join(dist, "mesh-command.cjs"),
    `(function (exports, require, module, __filename, __dirname) { // ${stamp}\n${body}\n})`,
  );
}

/** A file that asks where it lies is told where it lies without the bundle: what it looks for is beside that. */
const places = {
  name: "places",
  setup({ onLoad }) {
    // They hash the files beside them, and these are never other ones than now.
    onLoad({ filter: /[/\\]source[/\\]readers-version\.js$/ }, async ({ path }) => {
      const { readersVersion } = await import(pathToFileURL(path).href);
      return { contents: `export const readersVersion = () => ${JSON.stringify(readersVersion())};`, loader: "js" };
    });
    onLoad({ filter: /[/\\]activities[/\\]code-version\.js$/ }, async ({ path }) => {
      const { codeVersion } = await import(pathToFileURL(path).href);
      return { contents: `export const codeVersion = () => ${JSON.stringify(codeVersion())};`, loader: "js" };
    });
    onLoad({ filter: /\.m?js$/ }, ({ path }) => {
      const contents = readFileSync(path, "utf8");
      if (!contents.includes("import.meta.url")) return null;
      return { contents: contents.replaceAll("import.meta.url", `placeOf(${placeIn(path)})`), loader: "js" };
    });
  },
};

/** What only `mesh serve` runs, which is never run from here. */
const controller = {
  name: "controller",
  setup({ onResolve }) {
    onResolve({ filter: /\/worker\/serve\.js$/ }, ({ path, resolveDir }) => ({
      path: `./${JSON.parse(placeIn(resolve(resolveDir, path)))}`,
      external: true,
    }));
  },
};

function placeIn(path) {
  return JSON.stringify(relative(dist, path).split(sep).join("/"));
}

if (step === "--run") {
  process.argv.splice(2, Number.POSITIVE_INFINITY, "--help");
  runBundle(dist, ["--help"]);
} else {
  await bundle();
  // Of whose making it is, run-bundle.js looks at before it takes anything from there.
  mkdirSync(join(dist, "code"), { recursive: true, mode: 0o755 });
}
