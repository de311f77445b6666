#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { keepFileWorkGoing } from "../disk/keep-file-work-going.ts";
import { findCommand } from "./find-command.ts";
import { createContext } from "./real-context.ts";
import { run } from "./run.ts";

// Node ends with 1 on an error that nobody caught, which would read as *pending* (R48).
for (const event of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(event, (error: unknown) => {
    process.stderr.write(`mesh: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.stderr.write("  next: this is a bug in mesh: MESH_DEBUG=1 names the files; report it\n");
    process.exit(2);
  });
}

// pg asks `navigator` which runtime this is, and where there is none (Node 20) it loads the whole of fetch to find out:
// 30 ms of every command. Newer Nodes have it, and this is what they say in it.
if (!("navigator" in globalThis)) {
  const userAgent = `Node.js/${process.versions.node.split(".")[0]}`;
  Object.defineProperty(globalThis, "navigator", { value: { userAgent }, configurable: true });
}

keepFileWorkGoing();

const argv = process.argv.slice(2);
/** What was asked for, by its words: `bin/run-bundle.js` keeps by them what V8 made of the code. */
export const command = findCommand(argv)?.words ?? (argv[0] === "complete" ? "complete" : "mesh");

const context = createContext(process);
void run(argv, context, readVersion()).then((code) => {
  process.exitCode = context.lostOutputCode() ?? code;
  // What was said is written out whatever its size; what is still open after that (a pool, a start that was given up) does
  // not keep the process.
  process.stdout.write("", () => process.stderr.write("", () => process.exit(context.lostOutputCode() ?? code)));
});

function readVersion(): string {
  const file: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  if (typeof file === "object" && file !== null && "version" in file && typeof file.version === "string")
    return file.version;
  throw new Error("package.json names no version");
}
