import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createObjectSession } from "../../src/source/object-session.ts";
import { createGitRepository } from "../support/git-repository.ts";

const large = "x".repeat(3 * 1024 * 1024);

it("an object larger than the limit is let pass unread, and what is asked after it is answered", async () => {
  const origin = await createGitRepository();
  onTestFinished(() => origin.remove());
  const commit = await origin.commit({ large, small: "a few bytes\n", empty: "" });
  const session = createObjectSession({ dir: join(origin.dir, ".git"), waitMs: 60_000, signal: undefined });
  const names = ["large", "small", "nothing", "large", "empty", "small"].map((path) => `${commit}:${path}`);
  const asked = [session.read(names, 100), session.read([`${commit}:large`, `${commit}:small`], large.length)];
  const [first = [], second = []] = await Promise.all(asked);
  expect(first.map((one) => one && [one.type, one.bytes, one.content?.toString() ?? "not read"])).toEqual([
    ["blob", large.length, "not read"],
    ["blob", 12, "a few bytes\n"],
    null,
    ["blob", large.length, "not read"],
    ["blob", 0, ""],
    ["blob", 12, "a few bytes\n"],
  ]);
  expect(second.map((one) => one?.content?.length)).toEqual([large.length, 12]);
  expect((await session.describe(names)).map((one) => one?.bytes ?? null)).toEqual([
    large.length,
    12,
    null,
    large.length,
    0,
    12,
  ]);
});
