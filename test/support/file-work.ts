import { keepFileWorkGoing } from "../../src/disk/keep-file-work-going.ts";

// Test files follow each other in a process: once is enough for all of them.
const key = Symbol.for("mesh-test-file-work");
const known: Record<symbol, boolean | undefined> = globalThis;
if (known[key] !== true) {
  known[key] = true;
  keepFileWorkGoing();
}
