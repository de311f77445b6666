import { createHook } from "node:async_hooks";
import { keepFileWorkGoing } from "../../../src/disk/keep-file-work-going.ts";

// Says how much was asked of files until the third time, while this process has other work; then that work ends.
let count = 0;
const work = setInterval(() => undefined, 100);
createHook({
  init: (_id, type) => {
    if (type !== "FSREQCALLBACK") return;
    count += 1;
    if (count === 3) clearInterval(work);
  },
}).enable();
keepFileWorkGoing(20);
process.once("exit", () => process.stdout.write(String(count)));
