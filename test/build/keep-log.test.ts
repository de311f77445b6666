import { expect, it } from "vitest";
import { createBuildLog } from "../../src/build/keep-log.ts";
import { recordOutput } from "../../src/build/record-output.ts";
import { type Sandbox, sandboxLimits } from "../../src/build/sandbox.ts";
import { readBlob } from "../../src/build/artifact-store.ts";
import { createBuildBed, typescriptModule } from "../support/build-bed.ts";

it("keeps a small log whole, and of a large one the beginning and the end, and says what is left out", () => {
  const log = createBuildLog(20);
  log.add("0123456789");
  log.add("abcdefghij");
  expect(log.read().toString()).toBe("0123456789abcdefghij");
  log.add("KLMNO");
  expect(log.read().toString()).toBe("0123456789\n… 5 bytes are left out here: a log is kept up to 20\nfghijKLMNO");
  for (let at = 0; at < 1000; at += 1) log.add("x".repeat(7));
  expect(log.read().toString()).toMatch(/^0123456789\n… 7005 bytes are left out .*\nx{10}$/);
  expect(log.tail(3)).toBe("xxx");
});

it("keeps a run's output once, also when its builder hands it in again", async () => {
  const sandbox: Sandbox = {
    promises: [],
    run: async (run) => {
      run.onOutput?.("compiling\n");
      return { kind: "exited", code: 0, stdout: "compiling\n", log: "compiling\n" };
    },
  };
  let said = "";
  const recorder = recordOutput(sandbox, (text) => {
    said += text;
  });
  const run = {
    command: ["/bin/true"] as const,
    folder: "/",
    mounts: [],
    network: "none" as const,
    limits: sandboxLimits,
  };
  recorder.log((await recorder.sandbox.run(run)).log);
  recorder.log("and a word of the builder's own\n");
  expect(said).toBe("compiling\nand a word of the builder's own\n");
});

it("keeps an answer to the builder out of the log, whatever the builder hands in again", async () => {
  const answer = `{"packages":[]}`;
  const sandbox: Sandbox = {
    promises: [],
    run: async () => ({ kind: "exited", code: 0, stdout: answer, log: answer }),
  };
  let said = "";
  const recorder = recordOutput(sandbox, (text) => {
    said += text;
  });
  const run = {
    command: ["/bin/true"] as const,
    folder: "/",
    mounts: [],
    network: "none",
    limits: sandboxLimits,
  } as const;
  recorder.log((await recorder.sandbox.run({ ...run, stdout: "answer" })).log);
  expect(said).toBe("");
});

it(
  "has all that a build printed in the artifact store, far beyond the tail, in the order of its steps",
  { timeout: 90_000 },
  async () => {
    const bed = await createBuildBed();
    const test = `import { test } from "node:test";\ntest("talks", () => { for (let at = 0; at < 20_000; at += 1) console.log("line " + at + " é"); });\n`;
    await bed.origin.commit(typescriptModule("core", { "src/index.ts": "export {};\n", "src/index.test.ts": test }));
    let followed = "";
    const built = await bed.build("core", { onLog: (text) => (followed += text) });
    expect(built.verdict.verdict).toBe("fit");
    const whole = (await readBlob(bed.store.dir, built.log?.blob ?? ""))?.toString("utf8") ?? "";
    expect(whole).toBe(followed);
    expect(whole.length).toBeGreaterThan(250_000);
    expect(built.log?.bytes).toBe(Buffer.byteLength(whole));
    expect(whole).toMatch(/^--- fetch\n--- compile\n--- test\n[^]*line 0 é\n[^]*line 19999 é\n/);
    // Its first letter may be cut in half.
    expect(whole.endsWith(built.logTail.slice(8))).toBe(true);
  },
);
