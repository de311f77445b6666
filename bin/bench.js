#!/usr/bin/env node
// npm run bench [what …]: installs and builds what is missing, then measures (bench/main.ts).
import "./check-node.js";
import { join } from "node:path";
import { build } from "./build.js";
import { install } from "./install.js";
import { root, run, runStep } from "./steps.js";

await runStep("npm run bench", async () => {
  await install();
  await build();
  const args = ["--import", "tsx", join(root, "bench", "main.ts"), ...process.argv.slice(2)];
  await run(process.execPath, args, { stdio: "inherit" });
});
