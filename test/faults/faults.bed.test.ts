import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { findRealMutant } from "./planted/plant.ts";
import { shortList } from "./scenarios/short-list.ts";

const runner = fileURLToPath(new URL("runner/main.ts", import.meta.url));
const patienceMs = 900_000;

/** The command itself. A fresh seed each time: it is printed. */
async function runFaults(...words: string[]): Promise<{ readonly code: unknown; readonly said: string }> {
  const child = spawn(process.execPath, ["--import", "tsx", runner, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (said += text.toString()));
  const code = await new Promise((resolve) => child.once("close", resolve));
  console.log(said);
  return { code, said };
}

it(
  `real processes keep every promise under ${shortList.join(", ")} (R7, R28, R30, R34, R36, R44, R50, cases 32, 35–37, 42, 43, 46, 56)`,
  async () => {
    const { code, said } = await runFaults("--short");
    expect(code, said).toBe(0);
    expect(said).toContain("no promise was broken");
    // A machine without namespaces says what it cannot do; everything else was really run.
    const ran = shortList.filter((name) => said.includes(`\n${name}: ok (`));
    const leftOut = shortList.filter((name) => said.includes(`${name} is left out: it needs namespaces`));
    expect([...ran, ...leftOut].toSorted(), said).toEqual(shortList.toSorted());
    expect(leftOut.filter((name) => !["partition-both", "disk-full"].includes(name))).toEqual([]);
  },
  patienceMs,
);

it(
  "a mesh whose hosts take older declarations is caught: I1 is named, and nothing else will do (R27, R38)",
  async () => {
    const { name, breaks } = findRealMutant("host-without-fence");
    const { code, said } = await runFaults("--mutant", name);
    expect(said).toContain(`${name}: named by ${breaks.join(" or ")}`);
    expect(code, said).toBe(2);
  },
  patienceMs,
);
