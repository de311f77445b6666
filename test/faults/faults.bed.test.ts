import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const runner = fileURLToPath(new URL("runner/main.ts", import.meta.url));
const patienceMs = 900_000;

/** The command itself, for a minute and the scenario that is under way then. A fresh seed each time: it is printed. */
it(
  "a mesh of real processes keeps every promise under faults by chance (R27, R28, R34–R38, R50, cases 35–38, 42–44)",
  async () => {
    const child = spawn(process.execPath, ["--import", "tsx", runner, "--minutes", "1"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (said += text.toString()));
    const code = await new Promise((resolve) => child.once("exit", resolve));
    console.log(said);
    expect(code, said).toBe(0);
    expect(said).toContain("no promise was broken");
  },
  patienceMs,
);
