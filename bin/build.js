#!/usr/bin/env node
import "./check-node.js";
import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "./install.js";
import { readText, root, run, runStep, timed, withLock } from "./steps.js";

const dist = join(root, "dist");
const half = join(root, "dist.half");
const stampFile = join(dist, ".mesh-build");

/** Brings dist/ to what src/ says. It is made beside and put in place when all of it is there. */
export async function build() {
  if (readText(stampFile) === readStamp()) return;
  await withLock("build", async () => {
    const stamp = readStamp();
    if (readText(stampFile) === stamp) return;
    rmSync(half, { recursive: true, force: true });
    await timed("building dist/", () => together([compile(), bundleInOwnProcess()]));
    cpSync(join(root, "src", "store", "migrations"), join(half, "store", "migrations"), { recursive: true });
    const goTool = join("source", "imports", "go-tool");
    cpSync(join(root, "src", goTool), join(half, goTool), { recursive: true });
    await run(process.execPath, [join(root, "bin", "bundle-command.js"), half]);
    rmSync(dist, { recursive: true, force: true });
    renameSync(half, dist);
    // A bundle that cannot be run fails the build; and the first who asks finds what was compiled now.
    await run(process.execPath, [join(root, "bin", "bundle-command.js"), dist, "--run"], {
      stdio: ["ignore", "ignore", 2],
    });
    writeFileSync(stampFile, stamp);
  });
}

/** Waits for all of them, also where one fails: nothing writes into dist.half after us. */
async function together(steps) {
  for (const step of await Promise.allSettled(steps)) if (step.status === "rejected") throw step.reason;
}

/** Of all that goes into dist/: sources, compiler options, packages, what makes it, the V8 that compiles. */
function readStamp() {
  const hash = createHash("sha256").update(`${process.version} ${process.arch}\0`);
  const files = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
    .concat(["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"])
    .concat(["bin/build.js", "bin/bundle-command.js", "bin/run-bundle.js"])
    .sort();
  for (const file of files) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return `${hash.digest("hex")}\n`;
}

async function compile() {
  const args = ["-p", "tsconfig.build.json", "--outDir", half, "--incremental", "false", "--tsBuildInfoFile", "null"];
  await run(process.execPath, [join(root, "node_modules", "typescript", "bin", "tsc"), ...args]);
}

/** The bundlers load much and print much: they go with their process. */
async function bundleInOwnProcess() {
  await run(process.execPath, [fileURLToPath(import.meta.url), "--bundle"]);
}

/** Workflow code for Temporal's sandbox, and the host as the one file that machines get. */
async function bundle() {
  const require = createRequire(import.meta.url);
  const { bundleWorkflowCode } = require("@temporalio/worker");
  const quiet = { trace() {}, debug() {}, info() {}, log() {}, warn: console.warn, error: console.error };
  const [{ code }] = await Promise.all([
    bundleWorkflowCode({ workflowsPath: join(root, "src", "workflows", "index.ts"), logger: quiet }),
    require("esbuild").build({
      entryPoints: [join(root, "src", "host", "main.ts")],
      outfile: join(half, "mesh-host.cjs"),
      bundle: true,
      platform: "node",
      target: "node20",
      format: "cjs",
      logLevel: "warning",
      legalComments: "none",
      // CommonJS has no import.meta.
      banner: { js: 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
      define: { "import.meta.url": "importMetaUrl" },
    }),
  ]);
  writeFileSync(join(half, "workflow-bundle.js"), code);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === "--bundle") {
    await bundle();
  } else {
    await runStep("npm run build", async () => {
      await install();
      await build();
    });
  }
}
