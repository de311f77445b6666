import { expect, it } from "vitest";
import { createCheckedPasswords } from "../../../src/host/providers/checked-passwords.ts";

/** A verifier is good for the password that it names; counts what was really worked out. */
function createChecks() {
  let worked = 0;
  const checked = createCheckedPasswords((verifier, password) => {
    worked += 1;
    return Promise.resolve(verifier === `of ${password}`);
  });
  const pass = async (server: string, pairs: readonly (readonly [string, string])[]) => {
    const check = checked.beginPass(server);
    const before = worked;
    const answers: boolean[] = [];
    for (const [verifier, password] of pairs) answers.push(await check(verifier, password));
    return { answers, worked: worked - before };
  };
  return pass;
}

it("works out what was good once, and again only where the verifier or the password is another", async () => {
  const pass = createChecks();
  const many = Array.from({ length: 1_000 }, (_, at) => [`of ${at}`, String(at)] as const);
  expect((await pass("one", many)).worked).toBe(1_000);
  expect(await pass("one", many)).toEqual({ answers: many.map(() => true), worked: 0 });
  const changed = [["of 1, by hand", "1"], ["of 2", "rotated"], ["of rotated", "rotated"], ...many.slice(3)] as const;
  expect(await pass("one", changed)).toMatchObject({
    worked: 3,
    answers: [false, false, true, ...many.slice(3).map(() => true)],
  });
});

it("works out again what was not good, what another server has, and what a pass did not ask for", async () => {
  const pass = createChecks();
  const [good, bad] = [["of a", "a"] as const, ["of a", "b"] as const];
  expect(await pass("one", [good, bad])).toEqual({ answers: [true, false], worked: 2 });
  expect(await pass("one", [good, bad])).toEqual({ answers: [true, false], worked: 1 });
  expect(await pass("two", [good])).toEqual({ answers: [true], worked: 1 });
  await pass("one", []);
  expect(await pass("one", [good])).toEqual({ answers: [true], worked: 1 });
});
