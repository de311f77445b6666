import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { runLimited, type LimitedRun } from "../../src/build/run-limited.ts";

const run: Omit<LimitedRun, "words"> = {
  cwd: tmpdir(),
  env: { PATH: process.env["PATH"] ?? "" },
  limits: {
    wallMs: 1_000,
    memoryBytes: 1 << 30,
    processes: 100,
    cpus: 1,
    outputBytes: 1_000_000,
    diskBytes: 1 << 30,
  },
  writable: [],
  signal: undefined,
  onProgress: undefined,
  stdout: undefined,
  onOutput: undefined,
  group: null,
  startsBlocked: false,
  given: [],
  inMemory: [],
  endsWithinMs: 500,
};

it("says that what it killed does not end, and does not wait for it without end", { timeout: 60_000 }, async () => {
  // What has left the group is not killed with it, and keeps the output open.
  const words = ["/bin/sh", "-c", `setsid sh -c 'echo $$; exec sleep 3600' & sleep 3600`];
  let printed = "";
  const onOutput = (text: string): void => {
    printed += text;
  };
  try {
    await expect(runLimited({ ...run, words, onOutput })).rejects.toThrow(
      "/bin/sh was killed and does not end: a process that left its group keeps its output open",
    );
  } finally {
    process.kill(Number(printed.trim()), "SIGKILL");
  }
});
