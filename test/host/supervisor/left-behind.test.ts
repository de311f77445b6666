import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hasErrorCode } from "../../../src/core/errors.ts";
import { digestValue } from "../../../src/decide/digest.ts";
import type { Log } from "../../../src/host/log.ts";
import { findServiceUser } from "../../../src/host/service-user.ts";
import { endProcess, type Kernel, nonceVariable } from "../../../src/host/supervisor/end-process.ts";
import { readIdentity } from "../../../src/host/supervisor/process-identity.ts";
import { listByEnvironment } from "../../../src/host/supervisor/process-list.ts";
import type { ServiceSpec } from "../../../src/host/supervisor/service-run.ts";
import { createSupervisor, type Supervisor } from "../../../src/host/supervisor/supervisor.ts";
import { eventually, makeFolder } from "../../support/host-bed.ts";

let folder: string;
let supervisor: Supervisor;
/** While it is set nothing dies: as of a process that waits in the kernel for a file system that is away. */
let isStuck: boolean;
/** What was said of a service's acts that failed. */
let failures: string[];

const kernel: Kernel = {
  get killedWithinMs() {
    return isStuck ? 100 : 10_000;
  },
  signal(target, name) {
    if (isStuck) return;
    try {
      process.kill(target, name);
    } catch (error) {
      if (!hasErrorCode(error, "ESRCH")) throw error;
    }
  },
};

beforeEach(async () => {
  folder = await makeFolder();
  [isStuck, failures] = [false, []];
  supervisor = await open();
});

afterEach(async () => {
  isStuck = false;
  await supervisor.stopAll();
  supervisor.close();
  await rm(folder, { recursive: true, force: true });
});

const nothing = (): void => undefined;
const log: Log = { info: nothing, warn: nothing, error: (message) => failures.push(message) };

async function open(): Promise<Supervisor> {
  const user = await findServiceUser();
  const rest = { redact: (text: string) => text, onChange: nothing, onDamaged: nothing, graceMs: 100 };
  return createSupervisor({ folder: path.join(folder, "services"), user, log, nowMs: Date.now, kernel, ...rest });
}

function spec(module: string, script: string): ServiceSpec {
  const command = ["/bin/sh", "-c", script] as const;
  const env = { MESH_MODULE: module };
  const logFile = path.join(folder, "log", `${module}.log`);
  const artifact = digestValue("artifact");
  return {
    id: `service/${module}/main`,
    module,
    artifact,
    command,
    env,
    folder: "/",
    logFile,
    digest: digestValue(command),
  };
}

async function startOf(wanted: ServiceSpec): Promise<string> {
  return (await supervisor.readRun(wanted))?.start ?? "none";
}

async function livingOf(start: string): Promise<number> {
  return (await listByEnvironment(`${nonceVariable}=${start}`)).length;
}

describe.skipIf(process.platform !== "linux")(
  "what a service leaves behind that does not end",
  { timeout: 30_000 },
  () => {
    it("has nothing started beside it, is tried again, and is said with how it ended (R44)", async () => {
      // It ends when its child says that it has moved to a group of its own.
      const child = "echo started; kill -TERM $PPID; while :; do sleep 1; done";
      const leaving = spec("web", `trap 'exit 3' TERM; setsid sh -c '${child}' & wait`);
      isStuck = true;
      await supervisor.ensure(leaving);
      const first = await startOf(leaving);
      const run = await eventually(async () => {
        const read = await supervisor.readRun(leaving);
        return read?.lastEnding?.includes("left behind") === true ? read : undefined;
      }, "said");
      expect(run.lastEnding).toMatch(
        /^exit code 3.*left behind: it was killed and does not end: process [0-9]+ .*nothing is started in its place before\)$/,
      );
      // Said once of the ending, then of each turn in which it would have been started again.
      await eventually(() => failures.length >= 3, "tried again");
      expect(failures.slice(0, 3)).toEqual(["a service has left something behind", "service", "service"]);
      expect([await startOf(leaving), (await livingOf(first)) > 0]).toEqual([first, true]);
      expect(await readFile(leaving.logFile, "utf8")).toBe("started\n");
      isStuck = false;
      await eventually(async () => (await startOf(leaving)) !== first, "started again");
      expect(await livingOf(first)).toBe(0);
    });

    it("holds no start of the host up, nor another service: only what would run beside it (R44)", async () => {
      const [lost, other] = [spec("web", "sleep 600"), spec("api", "sleep 601")];
      await supervisor.ensure(lost);
      await supervisor.ensure(other);
      const [start, untouched] = [await startOf(lost), await startOf(other)];
      supervisor.close();
      await writeFile(path.join(folder, "services/service.web.main.json"), "\0\0\0\0");
      isStuck = true;
      supervisor = await open();
      expect(await startOf(other)).toBe(untouched);
      await supervisor.ensure(spec("third", "sleep 602"));
      await expect(supervisor.ensure(lost)).rejects.toThrow("was killed and does not end");
      expect(await supervisor.readRun(lost)).toBeNull();
      isStuck = false;
      await supervisor.ensure(lost);
      expect([await livingOf(start), (await supervisor.readRun(lost))?.alive]).toEqual([0, true]);
    });

    it("is killed also where it was started just as the one before it was", async () => {
      const wanted = spec("web", "sleep 600");
      await supervisor.ensure(wanted);
      const nonce = await startOf(wanted);
      const { pid } = JSON.parse(await readFile(path.join(folder, "services/service.web.main.json"), "utf8")).identity;
      const identity = await readIdentity(pid);
      // The first kill reaches nobody of whom it does not know.
      let missed = 2;
      const late: Kernel = {
        killedWithinMs: 5_000,
        signal: (target, name) => {
          if (name === "SIGKILL" && missed > 0) missed -= 1;
          else if (name === "SIGKILL") kernel.signal(target, name);
        },
      };
      await endProcess({ identity, nonce, leader: "not-seen" }, 50, late);
      expect(await livingOf(nonce)).toBe(0);
    });
  },
);
