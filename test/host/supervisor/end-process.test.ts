import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { endProcess, type Kernel, nonceVariable } from "../../../src/host/supervisor/end-process.ts";
import { readIdentity } from "../../../src/host/supervisor/process-identity.ts";

/** A leader and a child in its group; both ignore SIGTERM, the child has moved to a group of its own. */
const stubborn = `trap '' TERM; setsid sh -c "trap '' TERM; echo ready; while :; do sleep 1; done" & while :; do sleep 1; done`;

async function startStubborn(nonce: string) {
  const child = spawn("/bin/sh", ["-c", stubborn], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env["PATH"] ?? "", [nonceVariable]: nonce },
  });
  await once(child.stdout, "data");
  const identity = await readIdentity(child.pid ?? 0);
  if (identity === null) throw new Error("it did not start");
  return { identity, ended: once(child, "exit") };
}

function kernelThat(kills: boolean): Kernel & { readonly sent: string[] } {
  const sent: string[] = [];
  return {
    sent,
    killedWithinMs: 200,
    signal(target, name) {
      sent.push(name);
      if (!kills && name === "SIGKILL") return;
      try {
        process.kill(target, name);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
    },
  };
}

describe.skipIf(process.platform !== "linux")("a service that is ended", () => {
  it("is gone when it is said to be, with what left its group", { timeout: 60_000 }, async () => {
    const nonce = `test-${process.pid}-gone`;
    const { identity, ended } = await startStubborn(nonce);
    await endProcess(identity, nonce, 50);
    await ended;
    expect(await readIdentity(identity.pid)).toBeNull();
  });

  it("and is there still after SIGKILL is an error that names what is left", { timeout: 60_000 }, async () => {
    const nonce = `test-${process.pid}-left`;
    const { identity, ended } = await startStubborn(nonce);
    const kernel = kernelThat(false);
    try {
      await expect(endProcess(identity, nonce, 50, kernel)).rejects.toThrow(
        new RegExp(`was killed and does not end: process .*${identity.pid} \\(state`),
      );
      expect(kernel.sent.slice(0, 2)).toEqual(["SIGTERM", "SIGKILL"]);
    } finally {
      await endProcess(identity, nonce, 50, { ...kernelThat(true), killedWithinMs: 20_000 });
    }
    await ended;
  });
});
