#!/usr/bin/env node
import "./check-node.js";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readText, root, run, runStep, timed, withLock } from "./steps.js";

const stampFile = join(root, "node_modules", ".mesh-install");

/** Brings node_modules to what the lock file says. The stamp is written last: an install that was killed is done again. */
export async function install() {
  if (readText(stampFile) === readStamp()) return;
  await withLock("install", async () => {
    if (readText(stampFile) === readStamp()) return;
    rmSync(stampFile, { force: true });
    const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
    await timed("installing packages by npm ci", () => run(...npm(["ci", ...quiet])));
    linkCommand();
    writeFileSync(stampFile, readStamp());
  });
}

/** Other packages, another Node or another machine: installed again. */
function readStamp() {
  const lock = readText(join(root, "package-lock.json")) ?? "";
  const digest = createHash("sha256").update(lock).digest("hex");
  return `${digest} node-${process.versions.modules} ${process.platform}-${process.arch}\n`;
}

/** The npm that runs us, else the one on the PATH. */
function npm(args) {
  const path = process.env.npm_execpath;
  return path?.endsWith("npm-cli.js") ? [process.execPath, [path, ...args]] : ["npm", args];
}

/** Makes `npx mesh` run this clone's command: npx looks here first, and asks no registry then. */
function linkCommand() {
  const link = join(root, "node_modules", ".bin", "mesh");
  mkdirSync(join(root, "node_modules", ".bin"), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync("../../bin/mesh.js", link);
  chmodSync(join(root, "bin", "mesh.js"), 0o755);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runStep("install", install);
