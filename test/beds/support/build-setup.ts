import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";

/** vitest's globalSetup: beds run the built program, so it is brought up to date first. */
export async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, [fileURLToPath(new URL("../../../bin/build.js", import.meta.url))]);
}
