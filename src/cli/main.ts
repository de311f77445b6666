#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { z } from "zod";
import { createContext } from "./real-context.ts";
import { run } from "./run.ts";

// Node ends with 1 on an error that nobody caught, which would read as *pending* (R48).
for (const event of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(event, (error: unknown) => {
    process.stderr.write(`mesh: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(2);
  });
}
// `mesh status | head` closes our output early: no error, and nobody can tell any more what was said.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? 3 : 2);
  });
}

// pg asks `navigator` which runtime this is, and where there is none (Node 20) it loads the whole of fetch to find out:
// 30 ms of every command. Newer Nodes have it, and this is what they say in it.
if (!("navigator" in globalThis)) {
  const userAgent = `Node.js/${process.versions.node.split(".")[0]}`;
  Object.defineProperty(globalThis, "navigator", { value: { userAgent }, configurable: true });
}

const file = new URL("../../package.json", import.meta.url);
const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, "utf8")));
process.exitCode = await run(process.argv.slice(2), createContext(process), version);
// What was said is written out whatever its size; what is still open after that (a pool, a start that was given up) does
// not keep the process.
process.stdout.write("", () => process.stderr.write("", () => process.exit()));
