import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { endProcess, type Kernel, nonceVariable, sweep } from "../../../src/host/supervisor/end-process.ts";
import { type ProcessIdentity, readIdentity } from "../../../src/host/supervisor/process-identity.ts";

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
    await endProcess({ identity, nonce, leader: "not-seen" }, 50);
    await ended;
    expect(await readIdentity(identity.pid)).toBeNull();
  });

  it("and is there still after SIGKILL is an error that names what is left", { timeout: 60_000 }, async () => {
    const nonce = `test-${process.pid}-left`;
    const { identity, ended } = await startStubborn(nonce);
    const kernel = kernelThat(false);
    try {
      await expect(endProcess({ identity, nonce, leader: "not-seen" }, 50, kernel)).rejects.toThrow(
        new RegExp(`was killed and does not end: process .*${identity.pid} \\(state`),
      );
      expect(kernel.sent.slice(0, 2)).toEqual(["SIGTERM", "SIGKILL"]);
    } finally {
      await endProcess({ identity, nonce, leader: "not-seen" }, 50, { ...kernelThat(true), killedWithinMs: 20_000 });
    }
    await ended;
  });
});

/** A group whose leader has gone and one member stays: with this nonce in its environment, or with none. */
async function leaveMember(nonce: string | null) {
  const setting = nonce === null ? "" : `${nonceVariable}=${nonce}`;
  const child = spawn("/bin/sh", ["-c", `env -i ${setting} sleep 600 >/dev/null 2>&1 & echo $!; read _`], {
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const exited = once(child, "exit");
  const [said] = await once(child.stdout, "data");
  const leader = await readIdentity(child.pid ?? 0);
  child.stdin.end();
  await exited;
  const member = Number(String(said));
  if (leader === null) throw new Error("it did not start");
  return { leader, member, isThere: async () => (await readIdentity(member)) !== null };
}

describe.skipIf(process.platform !== "linux")("a group whose leader has gone", { timeout: 30_000 }, () => {
  const stopped: number[] = [];
  const nonce = `test-${process.pid}-group`;

  async function sweepOf(
    carried: string | null,
    leader: "seen-just-now" | "not-seen",
    given?: Partial<ProcessIdentity>,
  ) {
    const group = await leaveMember(carried);
    stopped.push(group.member);
    await sweep({ identity: { ...group.leader, ...given }, nonce, leader });
    return group.isThere();
  }

  afterEach(() => {
    for (const pid of stopped.splice(0)) {
      try {
        process.kill(pid, "SIGKILL");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
    }
  });

  it("is a stranger's after a reboot, whatever was seen before (R44)", async () => {
    const bootId = "00000000-0000-4000-8000-000000000000";
    expect(await sweepOf(null, "not-seen", { bootId })).toBe(true);
    expect(await sweepOf(null, "seen-just-now", { bootId })).toBe(true);
  });

  it("may be a stranger's within one boot, when the pids came round: it is left alone", async () => {
    expect(await sweepOf(null, "not-seen", { started: "1" })).toBe(true);
    expect(await sweepOf("another-service", "not-seen", { started: "1" })).toBe(true);
  });

  it("is ours by a member that carries the nonce, or when the leader was there just now", async () => {
    expect(await sweepOf(nonce, "not-seen")).toBe(false);
    expect(await sweepOf(null, "seen-just-now")).toBe(false);
  });

  it("is not waited for when it is a stranger's", async () => {
    const group = await leaveMember(null);
    stopped.push(group.member);
    const kernel = kernelThat(true);
    const identity = { ...group.leader, bootId: "another" };
    await endProcess({ identity, nonce, leader: "not-seen" }, 600_000, kernel);
    expect([kernel.sent, await group.isThere()]).toEqual([[], true]);
  });
});
