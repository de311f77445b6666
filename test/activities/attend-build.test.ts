import type { Context } from "@temporalio/activity";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { attendBuild } from "../../src/activities/attend-build.ts";
import { UnavailableError } from "../../src/core/errors.ts";
import type { Answer, Database } from "../../src/store/database.ts";
import { runInActivity, type ActivitySeen } from "./support/in-activity.ts";

const build = { module: "core", inputs: `sha256:${"0".repeat(64)}`, attempt: 1 };
let seen: ActivitySeen;
let written: string[];
/** What does not get an answer. */
let refused: RegExp;

const db = {
  async query(sql: string, values: readonly unknown[] = []): Promise<Answer> {
    if (refused.test(sql)) throw new UnavailableError("the records do not answer");
    if (/insert into build_log/.test(sql)) written.push(String(values[5]));
    return { rows: [], count: 1 };
  },
} as Pick<Database, "query"> as Database;

beforeEach(() => {
  seen = { heartbeats: 0, warnings: [] };
  written = [];
  refused = /^$/;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

describe("who attends to a build", () => {
  it("loses no verdict because old logs cannot be swept", () =>
    runInActivity(seen, async () => {
      refused = /^\s*delete from build_log/;
      const attendance = attendBuild({ db, mesh: "home", build });
      attendance.addLog("the last line\n");
      await attendance.writeRest();
      await expect(attendance.close()).resolves.toBeUndefined();
      expect(written).toEqual(["the last line\n"]);
      expect(seen.warnings).toEqual([expect.stringMatching(/could not be swept/)]);
    }));

  it("writes what the records did not take with what comes next", () =>
    runInActivity(seen, async () => {
      const attendance = attendBuild({ db, mesh: "home", build });
      refused = /build_log/;
      attendance.addLog("one ");
      await vi.advanceTimersByTimeAsync(1_000);
      refused = /^$/;
      attendance.addLog("two");
      await vi.advanceTimersByTimeAsync(1_000);
      expect(written).toEqual(["one two"]);
      await attendance.close();
    }));

  it("beats until it is closed: while the verdict is kept, too", () =>
    runInActivity(seen, async () => {
      const attendance = attendBuild({ db, mesh: "home", build });
      await attendance.writeRest();
      await vi.advanceTimersByTimeAsync(9_000);
      expect(seen.heartbeats).toBe(3);
      await attendance.close();
      await vi.advanceTimersByTimeAsync(9_000);
      expect(seen.heartbeats).toBe(3);
    }));

  const cancelled = (details: Partial<Context["cancellationDetails"]>) => ({ signal: AbortSignal.abort(), details });

  it.each([
    ["was cancelled", { cancelRequested: true }, true],
    ["is not known any more, as its workflow ended with being cancelled", { notFound: true }, true],
    ["ends with its worker, and is begun again elsewhere", { workerShutdown: true }, false],
  ])("knows whether it is given up: it %s (R11)", (_how, details, isGivenUp) =>
    runInActivity({ ...seen, cancelled: cancelled(details) }, async () => {
      const attendance = attendBuild({ db, mesh: "home", build });
      await vi.advanceTimersByTimeAsync(60_000);
      expect(attendance.isGivenUp()).toBe(isGivenUp);
      await attendance.close();
    }),
  );

  it("does not know it after its process stood still: another attempt may have begun", () =>
    runInActivity({ ...seen, cancelled: cancelled({ notFound: true }) }, async () => {
      const attendance = attendBuild({ db, mesh: "home", build });
      vi.setSystemTime(Date.now() + 30_000);
      expect(attendance.isGivenUp()).toBe(false);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(attendance.isGivenUp()).toBe(false);
      await attendance.close();
    }));

  it("is not given up while nobody cancelled it", () =>
    runInActivity(seen, async () => {
      const attendance = attendBuild({ db, mesh: "home", build });
      expect(attendance.isGivenUp()).toBe(false);
      await attendance.close();
    }));
});
