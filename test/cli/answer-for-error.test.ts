import { describe, expect, it } from "vitest";
import { answerForError } from "../../src/cli/answer-for-error.ts";
import { DeadEpochError, InputError, RecordsRefusedError, UnavailableError } from "../../src/core/errors.ts";

const withCode = (code: string) => Object.assign(new Error("connect failed"), { code });

describe("what an error ends a command with (R48)", () => {
  it.each([
    ["what a person typed is wrong", new InputError("no such node"), 2],
    ["nobody answered", new UnavailableError("PostgreSQL did not answer"), 3],
    ["another controller holds the lease", new DeadEpochError("demo", 3), 2],
    [
      "the records do not allow it",
      new RecordsRefusedError("permission denied for table push", "mesh database roles"),
      2,
    ],
    ["a bare refused connection", withCode("ECONNREFUSED"), 3],
    ["a refused connection inside another error", new Error("reading", { cause: withCode("ECONNREFUSED") }), 3],
    ["a full disk", Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" }), 3],
    ["a full disk inside another error", new Error("writing", { cause: withCode("EDQUOT") }), 3],
    ["every address refused", new AggregateError([withCode("ECONNREFUSED"), withCode("ECONNREFUSED")]), 3],
    ["PostgreSQL is starting up", withCode("57P03"), 3],
    ["our own bug", new TypeError("x is not a function"), 2],
    ["a missing table", withCode("42P01"), 2],
    ["something that is no error", "text", 2],
  ])("%s", (_what, error, code) => {
    expect(answerForError(error).code).toBe(code);
  });

  it.each([
    [
      "which file",
      Object.assign(new Error("write"), { code: "ENOSPC", path: "/mesh/keys/a" }),
      "the disk of /mesh/keys is full",
    ],
    ["no file", new Error("x", { cause: withCode("ENOSPC") }), "the disk of that file is full"],
    ["PostgreSQL's own words", withCode("53100"), "the disk of PostgreSQL's data is full"],
  ])("a full disk that says %s is named with what to do", (_what, error, words) => {
    expect(answerForError(error)).toMatchObject({ code: 3, next: expect.stringContaining(words) });
  });

  it("is never 0 and never 1: an error is not an answer", () => {
    for (const error of [null, undefined, 0, {}, new Error("x"), withCode("EPIPE")]) {
      expect(answerForError(error).code).toBeGreaterThan(1);
    }
  });

  it("a chain of causes that goes round ends", () => {
    const first = new Error("first");
    const second = new Error("second", { cause: first });
    first.cause = second;
    expect(answerForError(first).code).toBe(2);
  });
});
