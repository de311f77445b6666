import { chmod, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readToken } from "../../src/host/read-token.ts";
import { makeFolder } from "../support/host-bed.ts";

let folder: string;
let said: string[];

beforeEach(async () => {
  folder = await makeFolder();
  said = [];
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const read = (file: string, input: readonly string[] = []) =>
  readToken(
    file,
    (sentence) => said.push(sentence),
    () => Readable.from(input),
  );

describe("an enrolment token, which is on no command line (R46)", () => {
  it.each([
    ["a line", ["mesh1.a\n"]],
    ["in pieces, with an empty line before and one after", ["\n", " mesh", "1.a \n", "more"]],
    ["without an end of line", ["mesh1.a"]],
  ])("is read from standard input: %s", async (_what, input) => {
    expect(await read("-", input)).toBe("mesh1.a");
  });

  it("is read from a file, and it is said where others may read that", async () => {
    const file = path.join(folder, "token");
    await writeFile(file, "mesh1.a\n", { mode: 0o600 });
    expect([await read(file), said]).toEqual(["mesh1.a", []]);
    await chmod(file, 0o644);
    expect([await read(file), said]).toEqual(["mesh1.a", [expect.stringContaining("others may read the token")]]);
  });

  it.each([
    ["that is not there", "/nowhere/token", /\/nowhere\/token cannot be read/],
    ["that is empty", "/dev/null", /no token in \/dev\/null/],
    ["without an end", "/dev/zero", /too long for a token/],
  ])("is refused of a file %s", async (_what, file, message) => {
    await expect(read(file)).rejects.toThrow(message);
  });
});
