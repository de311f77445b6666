#!/usr/bin/env node
// npx mesh …: the command as it was built. It builds nothing itself, so that it answers at once.
import "./check-node.js";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runBundle } from "./run-bundle.js";

const main = new URL("../dist/cli/main.js", import.meta.url);
if (!existsSync(main) || !existsSync(new URL("../node_modules/.mesh-install", import.meta.url))) {
  process.stderr.write(
    "mesh: this clone is not built yet\nnext: npm start (brings up a mesh here), or npm run build\n",
  );
  process.exit(2);
}
process.argv[1] = fileURLToPath(main);
if (!runBundle(fileURLToPath(new URL("../dist", import.meta.url)), process.argv.slice(2))) await import(main.href);
