import { spawn } from "node:child_process";
import { expect, it } from "vitest";
import { isAlive, readProcessIdentity, type ProcessIdentity } from "../../src/embedded/process-identity.ts";
import type { Running } from "../../src/embedded/running.ts";
import { createSupervisor } from "../../src/embedded/supervisor.ts";
import { waitUntil } from "../../src/embedded/wait-until.ts";

interface Started {
  readonly identity: ProcessIdentity;
  readonly name: string;
}

/** Starts a process that only waits; `started` and `stopped` grow. */
function createWorld() {
  const started: Started[] = [];
  const stopped: string[] = [];
  const start = (name: string) => (): Promise<Running> => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    const identity = readProcessIdentity(child.pid ?? 0);
    if (identity === null) throw new Error("it did not start");
    started.push({ identity, name });
    const stop = async (): Promise<void> => {
      stopped.push(name);
      child.kill("SIGKILL");
      await waitUntil(() => !isAlive(identity), 5_000);
    };
    return Promise.resolve({ identity, adopted: false, stop });
  };
  const said: string[] = [];
  const supervisor = createSupervisor({ progress: (line) => said.push(line), lookEveryMs: 10, firstDelayMs: 10 });
  return { started, stopped, start, said, supervisor };
}

it("starts again what was killed, and stops what runs by then", async () => {
  const { started, start, said, supervisor } = createWorld();
  const first = await supervisor.keep("server", start("server"));
  process.kill(first.identity?.pid ?? 0, "SIGKILL");
  expect(await waitUntil(() => started.length === 2, 5_000)).toBe(true);
  await supervisor.stopAll();
  expect(started.every(({ identity }) => !isAlive(identity))).toBe(true);
  expect(said.join("\n")).toMatch(/server: it ended by itself/);
});

it("goes on trying when a start fails, and says why", async () => {
  const { started, start, said, supervisor } = createWorld();
  let calls = 0;
  const first = await supervisor.keep("server", () => {
    calls += 1;
    return calls === 2 || calls === 3 ? Promise.reject(new Error("port taken")) : start("server")();
  });
  process.kill(first.identity?.pid ?? 0, "SIGKILL");
  expect(await waitUntil(() => started.length === 2, 5_000)).toBe(true);
  expect(said.filter((line) => line === "server: port taken")).toHaveLength(2);
  await supervisor.stopAll();
});

it("tells a start that is under way that everything is to end, and does not wait it out", async () => {
  const { started, start, supervisor } = createWorld();
  let isAgain = false;
  const slow = (stopping: AbortSignal): Promise<Running> =>
    new Promise((_resolve, reject) => {
      isAgain = true;
      stopping.addEventListener("abort", () => reject(new Error("not wanted any more")));
    });
  const first = await supervisor.keep("server", (stopping) =>
    started.length === 0 ? start("server")() : slow(stopping),
  );
  process.kill(first.identity?.pid ?? 0, "SIGKILL");
  expect(await waitUntil(() => isAgain, 5_000)).toBe(true);
  await supervisor.stopAll();
});

it("says of what takes long to end that it does, and what it may wait for", async () => {
  const said: string[] = [];
  const supervisor = createSupervisor({ progress: (line) => said.push(line), patienceMs: 1 });
  const stop = async (): Promise<void> => {
    expect(await waitUntil(() => said.length > 0, 5_000)).toBe(true);
  };
  await supervisor.keep("quick", () => Promise.resolve({ identity: null, adopted: false, stop: async () => {} }));
  await supervisor.keep("slow", () => Promise.resolve({ identity: null, adopted: false, stop }), "builds may end");
  await supervisor.stopAll();
  expect(said).toEqual(["slow: still ending: builds may end"]);
});

it("stops the youngest first, and goes on past what does not stop", async () => {
  const { start, stopped, supervisor } = createWorld();
  await supervisor.keep("database", start("database"));
  await supervisor.keep("stubborn", async () => {
    const running = await start("stubborn")();
    return { ...running, stop: () => running.stop().then(() => Promise.reject(new Error("does not end"))) };
  });
  await supervisor.keep("host", start("host"));
  await expect(supervisor.stopAll()).rejects.toThrow(/not everything could be stopped/);
  expect(stopped).toEqual(["host", "stubborn", "database"]);
});

it("stops also what is just being started, and starts nothing after that", async () => {
  const { start, stopped, supervisor } = createWorld();
  let go = (): void => undefined;
  const gate = new Promise<void>((resolve) => (go = resolve));
  const late = supervisor.keep("late", async () => {
    await gate;
    return await start("late")();
  });
  const stopping = supervisor.stopAll();
  go();
  await late;
  await stopping;
  expect(stopped).toEqual(["late"]);
  await expect(supervisor.keep("never", start("never"))).rejects.toThrow(/everything is being stopped/);
});

it("neither watches nor stops what somebody else runs", async () => {
  const { supervisor, said } = createWorld();
  await supervisor.keep("foreign", () =>
    Promise.resolve({ identity: null, adopted: false, stop: () => Promise.resolve() }),
  );
  await supervisor.stopAll();
  expect(said).toEqual([]);
});
