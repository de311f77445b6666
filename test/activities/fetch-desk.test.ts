import { describe, expect, it, vi } from "vitest";
import { createFetchDesk, type FetchAnswers } from "../../src/activities/fetch-desk.ts";
import { UnavailableError } from "../../src/core/errors.ts";
import type { Repository } from "../../src/source/repository.ts";

const commit = "a".repeat(40);
const isAnswer = (error: unknown): error is Error => error instanceof UnavailableError;

/** One source that hangs, or answers, as it is told; a clock that is told, too. */
function raise({ lateAtOnce = 0 } = {}) {
  const source = { hangs: true, asked: 0, letGo: (_error: Error | null): void => undefined };
  const clock = { nowMs: 0 };
  const repository = {
    dir: "/clones/away",
    url: "https://away.example/a.git",
    fetchCommits: (_wanted: unknown, signal: AbortSignal) => {
      source.asked += 1;
      if (!source.hangs) return Promise.resolve();
      return new Promise<void>((resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("cancelled")), { once: true });
        source.letGo = (error) => (error === null ? resolve() : reject(error));
      });
    },
  } as unknown as Repository;
  const desk = createFetchDesk({ atOnce: 8, patienceMs: 20, lateAtOnce, restLongestMs: 70 }, isAnswer, {
    nowMs: () => clock.nowMs,
    random: () => 0.5,
  });
  const look = async (): Promise<string | null> => {
    const wanted = new Map([[repository, [{ head: "away#main", branch: "main", commit }]]]);
    const answers: FetchAnswers = await desk.fetchAll(wanted, new AbortController().signal);
    return answers.get("away#main")?.message ?? null;
  };
  return { source, clock, look };
}

describe("a source that hangs (R33)", () => {
  it("is asked again after a pause that doubles up to a bound, and is said to be left alone until then", async () => {
    const { source, clock, look } = raise();
    for (const [pauseMs, times] of [
      [20, "once"],
      [40, "2 times in a row"],
      [70, "3 times in a row"],
      [70, "4 times in a row"],
    ] as const) {
      const asked = source.asked;
      expect(await look()).toMatch(
        /was stopped: it did not send its commit within 0.02 s.*; it is left alone for about/,
      );
      clock.nowMs += pauseMs - 1;
      expect(await look()).toContain(`hung ${times} for 0.02 s, and is left alone`);
      expect(source.asked).toBe(asked + 1);
      clock.nowMs += 1;
    }
  });

  it("begins anew once it has answered", async () => {
    const { source, clock, look } = raise();
    await look();
    clock.nowMs += 20;
    source.hangs = false;
    expect(await look()).toBeNull();
    source.hangs = true;
    await look();
    expect(await look()).toContain("hung once");
  });

  it("and goes on late is left alone when its git ends without its commit, not when it came", async () => {
    const { source, look } = raise({ lateAtOnce: 1 });
    expect(await look()).toContain("is still being fetched");
    expect(await look()).toMatch(/is still being fetched$/);
    source.letGo(new UnavailableError("git was stopped after 300000 ms"));
    await vi.waitFor(async () => expect(await look()).toContain("hung once"));
    const other = raise({ lateAtOnce: 1 });
    await other.look();
    other.source.hangs = false;
    other.source.letGo(null);
    await vi.waitFor(async () => expect(await other.look()).toBeNull());
  });
});
