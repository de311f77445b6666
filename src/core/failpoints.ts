import { InputError } from "./errors.ts";

/**
 * Places before and after each durable step, at which a test ends, stops, delays or fails a real process. Nothing is
 * armed in production: a step then costs one property read. Who arms them is the process's main file, by its environment
 * (docs/decisions/0025-failpoints.md).
 */
export const stepNames = [
  "lease.take",
  "lease.renew",
  "lease.release",
  "push.open",
  "push.baseline",
  "push.targets",
  "gate",
  "gate.composition",
  "push.close",
  "notify.wake",
  "report.keep",
  "build.claim",
  "build.artifact",
  "build.verdict",
  "host.inbox",
  "host.mark",
  "host.tracking",
  "host.resource",
  "host.remove",
  "host.report",
] as const;
export type StepName = (typeof stepNames)[number];
export type Failpoint = `${StepName}:${"before" | "after"}`;

export const failpointNames: readonly Failpoint[] = stepNames.flatMap((step): Failpoint[] => [
  `${step}:before`,
  `${step}:after`,
]);

interface Failpoints {
  /** Null: nothing is armed. */
  reach: ((point: Failpoint) => Promise<void>) | null;
}
const failpoints: Failpoints = { reach: null };

/** Does the step. Where failpoints are armed, reaches the one before it and the one after it. */
export function atStep<T>(step: StepName, act: () => Promise<T>): Promise<T> {
  const { reach } = failpoints;
  return reach === null ? act() : actBetween(reach, step, act);
}

async function actBetween<T>(
  reach: (point: Failpoint) => Promise<void>,
  step: StepName,
  act: () => Promise<T>,
): Promise<T> {
  await reach(`${step}:before`);
  const result = await act();
  await reach(`${step}:after`);
  return result;
}

/** What arming can do to this process. */
export interface FailpointEffects {
  readonly process: {
    readonly pid: number;
    kill(pid: number, signal: "SIGKILL" | "SIGSTOP"): unknown;
    /** `hold` ends with it. */
    once(event: "SIGUSR2", listener: () => void): unknown;
    /** What is armed, and each failpoint just before it acts. */
    readonly stderr: { write(text: string): unknown };
  };
  readonly wait: (ms: number) => Promise<unknown>;
}

export interface ArmedFailpoint {
  readonly point: Failpoint;
  readonly action: "kill" | "stop" | "hold" | "error" | "sleep";
  /** Of `sleep`. */
  readonly ms: number;
  /** Acts the nth time that this process comes there, and only then. */
  readonly nth: number;
}

/** `point=action[:nth]`, several with commas; `sleep` with its milliseconds. Throws InputError where it does not read. */
export function readFailpoints(text: string): ArmedFailpoint[] {
  return text.split(",").map((part) => {
    const [, name = "", action = "", ms = "0", nth = "1"] =
      /^([a-z.]+:(?:before|after))=(kill|stop|hold|error|sleep(?=\d))(\d{1,7})?(?::(\d{1,4}))?$/.exec(part) ?? [];
    const point = failpointNames.find((one) => one === name);
    if (point === undefined || !isAction(action))
      throw new InputError(`no failpoint reads "${part}"`, "npm run faults -- --list shows them");
    return { point, action, ms: Number(ms), nth: Number(nth) };
  });
}

function isAction(text: string): text is ArmedFailpoint["action"] {
  return ["kill", "stop", "hold", "error", "sleep"].includes(text);
}

export function armFailpoints(armed: readonly ArmedFailpoint[], effects: FailpointEffects): void {
  const reached = new Map<Failpoint, number>();
  failpoints.reach = async (point) => {
    const count = (reached.get(point) ?? 0) + 1;
    reached.set(point, count);
    const found = armed.find((one) => one.point === point && one.nth === count);
    if (found === undefined) return;
    await fail(found, effects);
  };
}

async function fail({ point, action, ms }: ArmedFailpoint, { process, wait }: FailpointEffects): Promise<void> {
  const goesOn = action === "hold" ? new Promise<void>((resolve) => process.once("SIGUSR2", resolve)) : null;
  process.stderr.write(`failpoint ${point}: ${action}\n`);
  switch (action) {
    case "kill":
      process.kill(process.pid, "SIGKILL");
      return;
    case "stop":
      process.kill(process.pid, "SIGSTOP");
      return;
    case "sleep":
      await wait(ms);
      return;
    case "hold":
      return goesOn ?? undefined;
    case "error":
      throw new Error(`failpoint ${point} failed as it was told to`);
  }
}

/** For tests that arm them in their own process. */
export function disarmFailpoints(): void {
  failpoints.reach = null;
}

export const failpointVariables = { points: "MESH_FAILPOINTS", allowed: "MESH_FAILPOINTS_ALLOWED" } as const;
/** What the second setting must say, so that no leftover variable arms a production process. */
export const failpointsAllowed = "this-process-may-be-killed";

/**
 * By the process's environment; nothing where `MESH_FAILPOINTS` is not set. Throws InputError where it is set and the second
 * setting is not, or where it does not read: the process must not start then.
 */
export function armFailpointsBy(env: Readonly<Record<string, string | undefined>>, effects: FailpointEffects): void {
  const text = env[failpointVariables.points];
  if (text === undefined || text === "") return;
  if (env[failpointVariables.allowed] !== failpointsAllowed)
    throw new InputError(
      `${failpointVariables.points} is set: this process would fail on purpose`,
      `unset it, or, in a test, set ${failpointVariables.allowed}=${failpointsAllowed}`,
    );
  const armed = readFailpoints(text);
  effects.process.stderr.write(`FAILPOINTS ARMED: ${text}. This process will fail on purpose.\n`);
  armFailpoints(armed, effects);
}
