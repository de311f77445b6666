import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { keepLooking } from "../../src/worker/keep-looking.ts";

function trouble() {
  const said: string[] = [];
  return {
    said,
    failed: async (error: unknown) => void said.push(String(error)),
    fine: async () => void said.push("fine"),
  };
}

const never = 86_400_000;
const shared = { log: pino({ level: "silent" }), failed: "the test's look failed" };

describe("a loop that looks (R33)", () => {
  it("goes on after what fails, and says it until a look comes through", async () => {
    const said = trouble();
    let looks = 0;
    let come = (): void => undefined;
    const through = new Promise<void>((resolve) => {
      come = resolve;
    });
    const watch = keepLooking({
      ...shared,
      trouble: { ...said, fine: () => said.fine().then(come) },
      rhythm: { baseMs: 1, longestMs: 2 },
      async look() {
        looks += 1;
        if (looks < 3) throw new Error(`failure ${looks}`);
        return "enough";
      },
    });
    await through;
    await watch.stop();
    expect(said.said.slice(0, 3)).toEqual(["Error: failure 1", "Error: failure 2", "fine"]);
  });

  it("looks again at once where there is more, and stops in the middle of a pause", async () => {
    const said = trouble();
    let looks = 0;
    let rest = (): void => undefined;
    const resting = new Promise<void>((resolve) => {
      rest = resolve;
    });
    const watch = keepLooking({
      ...shared,
      trouble: said,
      rhythm: { baseMs: never, longestMs: never },
      async look() {
        looks += 1;
        if (looks < 3) return "again";
        rest();
        return "enough";
      },
    });
    await resting;
    await watch.stop();
    expect(looks).toBe(3);
  });

  it("waits at its stop for the look under way, and does not call what that cut off a trouble", async () => {
    const said = trouble();
    let begun = (): void => undefined;
    const looking = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const watch = keepLooking({
      ...shared,
      trouble: said,
      rhythm: { baseMs: never, longestMs: never },
      look: (stopped) =>
        new Promise((_resolve, reject) => {
          stopped.addEventListener("abort", () => reject(new Error("cut off")));
          begun();
        }),
    });
    await looking;
    await watch.stop();
    expect(said.said).toEqual([]);
  });
});
