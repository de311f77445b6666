import { describe, expect, it } from "vitest";
import { BusyLockError } from "../../src/build/index-lock.ts";
import { judgeError } from "../../src/build/judge-error.ts";
import { ArtifactLimitError } from "../../src/build/pack.ts";
import { InputError, UnavailableError } from "../../src/core/errors.ts";

function systemError(code: string, message: string, path?: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code, ...(path === undefined ? {} : { path }) });
}

describe("what failed around a build (R11)", () => {
  it.each([
    ["ENOSPC", "disk", /Make room/],
    ["EROFS", "disk", /for writing/],
    ["EACCES", "disk", /right to read and write/],
    ["EPERM", "disk", /right to read and write/],
    ["ENOTDIR", "disk", /move it away/],
    ["EMFILE", "sandbox", /LimitNOFILE/],
    ["ENFILE", "sandbox", /fs\.file-max/],
  ])("%s is outstanding, class %s, with the path and what to do", (code, kind, next) => {
    const judged = judgeError(systemError(code, "refused, open", "/srv/builds/core"));
    expect(judged).toMatchObject({ verdict: "outstanding", class: kind, message: expect.stringMatching(next) });
    expect(judged?.message.match(/\/srv\/builds\/core/g)).toHaveLength(1);
  });

  it("names a path once where the system named it already, and none where there is none", () => {
    const named = judgeError(systemError("EACCES", "permission denied, mkdir '/srv/builds'", "/srv/builds"));
    expect(named?.message.match(/\/srv\/builds/g)).toHaveLength(1);
    expect(judgeError(systemError("EMFILE", "too many open files"))?.message).toMatch(/files: EMFILE: too many/);
  });

  it("a source without an answer is outstanding, bad content unfit, and a mistake of ours nothing", () => {
    expect(judgeError(new UnavailableError("no answer"))).toMatchObject({ class: "source" });
    expect(judgeError(new BusyLockError("locked"))).toMatchObject({ class: "disk" });
    expect(judgeError(new InputError("a device file"))).toMatchObject({ verdict: "unfit", stage: "compile" });
    expect(judgeError(new ArtifactLimitError("too many files"))).toMatchObject({ class: "limit" });
    expect(judgeError(new TypeError("x is undefined"))).toBeNull();
    expect(judgeError(systemError("ENOENT", "no such file"))).toBeNull();
  });
});
