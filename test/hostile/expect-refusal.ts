import { expect } from "vitest";

/** Null: it was let through. */
export type Refusal = { readonly message: string } | null;

/** Of processor time, which others on the machine do not take: what it catches is work that grows with the input without bound. */
const mostWorkMs = 5_000;
const mostGrowthBytes = 300 * 1024 * 1024;

/** Refused, with bounded work, without growth of the process, with a message that a person can read on a terminal. */
export async function expectRefusal(run: () => Refusal | Promise<Refusal>): Promise<void> {
  const before = process.memoryUsage.rss();
  const worked = process.cpuUsage();
  const refusal = await run();
  const { user, system } = process.cpuUsage(worked);
  expect(refusal, "it was let through").not.toBeNull();
  const message = refusal?.message ?? "";
  expect(message.trim()).not.toBe("");
  expect(message.length, "the message repeats its input").toBeLessThan(2_000);
  expect(message, "control characters reach a terminal").not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e]/);
  expect((user + system) / 1_000, "work in ms").toBeLessThan(mostWorkMs);
  expect(process.memoryUsage.rss() - before).toBeLessThan(mostGrowthBytes);
}

/** For edges that throw: the class of the error must be `kind`; anything else is a bug and is thrown on. */
export async function refusalOf(
  run: () => unknown,
  kind: abstract new (...values: never[]) => Error,
): Promise<Refusal> {
  try {
    await run();
    return null;
  } catch (error) {
    if (error instanceof kind) return { message: error.message };
    throw error;
  }
}
