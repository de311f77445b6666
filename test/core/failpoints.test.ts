import { afterEach, describe, expect, it } from "vitest";
import {
  armFailpointsBy,
  atStep,
  disarmFailpoints,
  failpointNames,
  failpointsAllowed,
  readFailpoints,
} from "../../src/core/failpoints.ts";

/** A process that writes down what is done to it. */
function createFakeProcess() {
  const did: string[] = [];
  const goOn: (() => void)[] = [];
  const effects = {
    process: {
      pid: 7,
      kill: (pid: number, signal: string) => did.push(`${signal} to ${pid}`),
      once: (_event: string, listener: () => void) => goOn.push(listener),
      stderr: { write: (text: string) => did.push(text.trim()) },
    },
    wait: async (ms: number) => did.push(`waits ${ms}`),
  };
  return { did, goOn, effects };
}

const allowed = { MESH_FAILPOINTS_ALLOWED: failpointsAllowed };

describe("failpoints", () => {
  afterEach(disarmFailpoints);

  it("are nothing where none is armed", async () => {
    const { did, effects } = createFakeProcess();
    armFailpointsBy({}, effects);
    armFailpointsBy({ MESH_FAILPOINTS: "" }, effects);
    expect(await atStep("gate", async () => 5)).toBe(5);
    expect(did).toEqual([]);
  });

  it.each([undefined, "", "1", "true", "yes"])("do not arm a process that is only half told to (%s)", (second) => {
    const { effects } = createFakeProcess();
    const env = { MESH_FAILPOINTS: "gate:before=kill", MESH_FAILPOINTS_ALLOWED: second };
    expect(() => armFailpointsBy(env, effects)).toThrow("would fail on purpose");
  });

  it("say that they are armed before anything starts", () => {
    const { did, effects } = createFakeProcess();
    armFailpointsBy({ ...allowed, MESH_FAILPOINTS: "gate:before=kill" }, effects);
    expect(did).toEqual(["FAILPOINTS ARMED: gate:before=kill. This process will fail on purpose."]);
  });

  it.each([
    ["kill", "SIGKILL to 7"],
    ["stop", "SIGSTOP to 7"],
    ["sleep250", "waits 250"],
  ])("act in their order around the step: %s", async (action, expected) => {
    const { did, effects } = createFakeProcess();
    armFailpointsBy({ ...allowed, MESH_FAILPOINTS: `host.mark:before=${action},host.mark:after=${action}` }, effects);
    did.length = 0;
    await atStep("host.mark", async () => did.push("the step"));
    const word = action.replace(/\d+/, "");
    expect(did).toEqual([
      `failpoint host.mark:before: ${word}`,
      expected,
      "the step",
      `failpoint host.mark:after: ${word}`,
      expected,
    ]);
  });

  it("hold until somebody outside says to go on", async () => {
    const { did, goOn, effects } = createFakeProcess();
    armFailpointsBy({ ...allowed, MESH_FAILPOINTS: "gate:before=hold" }, effects);
    const done = atStep("gate", async () => did.push("the step"));
    await Promise.resolve();
    expect(did).not.toContain("the step");
    for (const go of goOn) go();
    await done;
    expect(did).toContain("the step");
  });

  it("act the nth time only, and only where they were put", async () => {
    const { effects } = createFakeProcess();
    armFailpointsBy({ ...allowed, MESH_FAILPOINTS: "push.targets:after=error:2" }, effects);
    const targets = () => atStep("push.targets", async () => "kept");
    expect(await targets()).toBe("kept");
    await expect(targets()).rejects.toThrow("push.targets:after");
    expect(await targets()).toBe("kept");
    expect(await atStep("push.open", async () => "opened")).toBe("opened");
  });

  it("do what the step did when it throws", async () => {
    const { effects } = createFakeProcess();
    armFailpointsBy({ ...allowed, MESH_FAILPOINTS: "gate:after=kill" }, effects);
    await expect(atStep("gate", () => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
  });

  it.each([
    "gate",
    "gate=kill",
    "gate:before",
    "gate:before=sleep",
    "nowhere:before=kill",
    "gate:before=kill:x",
    "a b",
  ])("are refused where they do not read: %s", (text) => {
    expect(() => readFailpoints(text)).toThrow("no failpoint reads");
  });

  it("are before and after every step that is named", () => {
    expect(failpointNames).toContain("host.inbox:before");
    expect(failpointNames).toContain("host.inbox:after");
    expect(new Set(failpointNames).size).toBe(failpointNames.length);
  });
});
