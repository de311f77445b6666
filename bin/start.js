#!/usr/bin/env node
// npm start: nothing needs to be installed or built before it. Then it is `mesh up`, in this very process: a Ctrl-C, a
// terminal's end and a SIGTERM reach the one who has to stop everything in order.
import "./check-node.js";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "./build.js";
import { install } from "./install.js";
import { root, sayFailure } from "./steps.js";

// Whose output goes away (`npm start 2>&1 | tee log`, and Ctrl-C ends tee too) is asked to end: the step under way with it.
let isUnheard = false;
const onUnheard = () => {
  isUnheard = true;
  process.kill(process.pid, "SIGTERM");
};
const outputs = [process.stdout, process.stderr];
for (const stream of outputs) stream.once("error", onUnheard).on("error", () => {});

try {
  await install();
  await build();
} catch (error) {
  sayFailure("npm start", error);
  process.exit(isUnheard ? 3 : 2);
}
for (const stream of outputs) stream.removeAllListeners("error"); // From here on `mesh up` hears it.
const main = join(root, "dist", "cli", "main.js");
process.argv = [process.execPath, main, "up", ...process.argv.slice(2)];
await import(pathToFileURL(main).href);
