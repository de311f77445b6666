import { expect, it } from "vitest";
import { UnavailableError } from "../../../src/core/errors.ts";
import { bringUpHosts, type HostSteps } from "../../../src/cli/up/bring-up-hosts.ts";
import { createSupervisor } from "../../../src/embedded/supervisor.ts";
import type { Running } from "../../../src/embedded/running.ts";

const nodes = ["node-a", "node-b"];
const refused = new UnavailableError("host-node-b is not ready after 45 s: refused: proof-signature (401)", "See LOG.");

function withHosts(change: Partial<HostSteps>) {
  const calls: string[] = [];
  const running = (node: string): Running => ({
    identity: null,
    adopted: node === "node-a",
    stop: async () => void calls.push(`stop ${node}`),
  });
  const steps: HostSteps = {
    enrol: async (node) => void calls.push(`enrol ${node}`),
    start: async (node) => {
      calls.push(`start ${node}`);
      return running(node);
    },
    endServices: async (node) => void calls.push(`end services of ${node}`),
    ...change,
  };
  return { calls, supervisor: createSupervisor({ progress: () => undefined }), steps };
}

const failing = (error: unknown) => async (node: string) => {
  if (node === "node-b") throw error;
  return { identity: null, adopted: false, stop: async () => undefined };
};

it("answers which hosts were started and not adopted (R50)", async () => {
  const { supervisor, steps } = withHosts({});
  expect(await bringUpHosts(nodes, supervisor, steps)).toEqual({ started: ["node-b"], troubles: [] });
});

it("goes on where a host does not get ready: it is a trouble with a next step, and its services are ended (R33)", async () => {
  const { calls, supervisor, steps } = withHosts({ start: failing(refused) });
  const { started, troubles } = await bringUpHosts(nodes, supervisor, steps);
  expect(started).toEqual(["node-a"]);
  expect(troubles).toEqual([
    expect.stringMatching(/^node-b: .*proof-signature \(401\) → see mesh conditions;.*See LOG\.$/),
  ]);
  expect(calls).toEqual(["enrol node-a", "enrol node-b", "end services of node-b"]);
});

it("ends such services also where everything is stopped meanwhile, before that is through (R50)", async () => {
  let fail = (_error: Error): void => undefined;
  const ended = new Promise<never>((_resolve, reject) => (fail = reject));
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const start = (): Promise<never> => {
    begin();
    return ended;
  };
  const { calls, supervisor, steps } = withHosts({ start });
  const up = bringUpHosts(["node-b"], supervisor, steps);
  await begun;
  const stopped = supervisor.stopAll();
  fail(refused);
  await stopped;
  expect(calls).toContain("end services of node-b");
  await up;
});

it("says both where the services could not be ended either", async () => {
  const endServices = () => Promise.reject(new Error("they do not end"));
  const { supervisor, steps } = withHosts({ start: failing(refused), endServices });
  const { troubles } = await bringUpHosts(nodes, supervisor, steps);
  expect(troubles[0]).toMatch(/proof-signature \(401\); and its services could not be ended: they do not end/);
});

it("goes on where a host cannot be enrolled, and does not start that one", async () => {
  const enrol = async (node: string): Promise<void> => {
    if (node === "node-b") throw new UnavailableError("node mesh-host.cjs ended with code 2: no room");
  };
  const { calls, supervisor, steps } = withHosts({ enrol });
  const { troubles } = await bringUpHosts(nodes, supervisor, steps);
  expect(troubles).toEqual([expect.stringContaining("no room")]);
  expect(calls).toEqual(["start node-a"]);
});

it("throws what is no lack of an answer, once the other host is there to be stopped (R42)", async () => {
  const { calls, supervisor, steps } = withHosts({ start: failing(new TypeError("a bug")) });
  await expect(bringUpHosts(nodes, supervisor, steps)).rejects.toThrow("a bug");
  expect(calls).toContain("end services of node-b");
});

it("leaves the services of a host that ended later as they are, where it does not start again (R44)", async () => {
  const { calls, steps } = withHosts({});
  const { signal } = new AbortController();
  let start: () => Promise<Running> = () => Promise.reject(new Error("nothing is kept"));
  const supervisor = {
    keep: <T extends Running>(_name: string, one: (stopping: AbortSignal) => Promise<T>): Promise<T> => {
      start = () => one(signal);
      return one(signal);
    },
  };
  let isUp = true;
  await bringUpHosts(["node-a"], supervisor, {
    ...steps,
    start: (node) => (isUp ? steps.start(node) : Promise.reject(refused)),
  });
  isUp = false;
  await expect(start()).rejects.toThrow("not ready");
  expect(calls).not.toContain("end services of node-a");
});
