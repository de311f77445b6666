#!/usr/bin/env node
// npm test [vitest's arguments]: nothing needs to be installed or built before it. Ends with one line of counts.
import "./check-node.js";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "./build.js";
import { countResults, formatCounts } from "./count-results.js";
import { install } from "./install.js";
import { root, run, say } from "./steps.js";

const folder = mkdtempSync(join(tmpdir(), "mesh-test-results-"));
const report = join(folder, "results.json");
let failure = null;
try {
  await install();
  await build();
  await installSystemPackages();
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  await run(process.execPath, [vitest, "run", ...reporters, ...process.argv.slice(2)], { stdio: ["ignore", 1, 2] });
} catch (error) {
  failure = error;
  say(`npm test: ${error.message}`);
}
// The gate is run by .ci/run before this, and counts as one test.
const counts = countResults(readReport(), { failed: failure !== null, gate: process.env.MESH_GATE });
rmSync(folder, { recursive: true, force: true });
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
process.stdout.write(`${formatCounts(counts)}\n`);

/** Null when vitest wrote none: it did not come so far. */
function readReport() {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch (error) {
    // absence is the answer: vitest did not come so far, and its own failure counts.
    if (error.code === "ENOENT") return null;
    throw error;
  }
}

/** Builds need a sandbox, the beds a broker. What cannot be installed is named; what needs it says so itself. */
async function installSystemPackages() {
  const module = pathToFileURL(join(root, "dist", "embedded", "system-packages.js")).href;
  const { ensureSystemPackages } = await import(module);
  const { missing, remedy } = await ensureSystemPackages(["bubblewrap", "rabbitmq-server"], { progress: say });
  if (missing.length > 0)
    say(`not installed: ${missing.join(", ")}; tests that need it are skipped. To have it: ${remedy}`);
}
