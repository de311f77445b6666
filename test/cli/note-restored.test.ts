import { expect, it } from "vitest";
import { noteRestored } from "../../src/cli/commands/restore.ts";
import { interrupted } from "../../src/cli/interrupted.ts";

it("a Ctrl-C before the records are in leaves them as they were: type it again (R48)", async () => {
  await expect(noteRestored(() => Promise.reject(interrupted()))).rejects.toMatchObject({
    message: "it was interrupted before it was done",
    next: "type it again",
  });
});

it("a Ctrl-C after they are in says so, and what is next is not the same again (R48)", async () => {
  const ended = noteRestored((note) => {
    note("2026-01-01T00:00:00.000Z");
    return Promise.reject(interrupted());
  });
  await expect(ended).rejects.toMatchObject({
    name: "UnavailableError",
    message: expect.stringContaining("the records are restored, as of 2026-01-01T00:00:00.000Z") as string,
    next: expect.stringMatching(/^do not type this again: .*mesh recover/) as string,
  });
});
