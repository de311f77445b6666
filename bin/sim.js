#!/usr/bin/env node
// npm run sim [-- options]: installs what is missing, then tries to break the order of a simulated mesh
// (test/simulation/runner/main.ts). Exit 0: nothing was broken. 2: something was, and is named.
import "./check-node.js";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { install } from "./install.js";
import { root, say } from "./steps.js";

try {
  await install();
  const args = ["--import", "tsx", join(root, "test", "simulation", "runner", "main.ts"), ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code) => {
    process.exitCode = code ?? 1;
  });
} catch (error) {
  say(`npm run sim: ${error.message}`);
  process.exitCode = 1;
}
