#!/usr/bin/env node
// npm run faults [-- options]: installs and builds what is missing, then tries to break a mesh of real processes
// (test/faults/runner/main.ts). Exit 0: nothing was broken. 2: something was, and is named. 3: a planted bug was not.
import "./check-node.js";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "./build.js";
import { install } from "./install.js";
import { root, say } from "./steps.js";

try {
  await install();
  await build();
  const module = pathToFileURL(join(root, "dist", "embedded", "system-packages.js")).href;
  const { ensureSystemPackages } = await import(module);
  const { missing, remedy } = await ensureSystemPackages(["bubblewrap", "libfaketime"], { progress: say });
  if (missing.length > 0) say(`not installed: ${missing.join(", ")}; what needs it is left out. To have it: ${remedy}`);
  const args = ["--import", "tsx", join(root, "test", "faults", "runner", "main.ts"), ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code) => {
    process.exitCode = code ?? 1;
  });
} catch (error) {
  say(`npm run faults: ${error.message}`);
  process.exitCode = 1;
}
