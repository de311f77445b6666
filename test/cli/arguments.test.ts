import { describe, expect, it } from "vitest";
import { parseName, parseNames, parsePairs, parseSeconds, parseWhy } from "../../src/cli/arguments.ts";
import { InputError } from "../../src/core/errors.ts";
import { hostileNames } from "./hostile-names.ts";

describe("names that a person types (R1, case 52)", () => {
  it.each(hostileNames)("%s is refused with a sentence", (_what, name) => {
    expect(() => parseName("node", name)).toThrow(InputError);
    expect(() => parseNames("node", ["node-a", name])).toThrow(InputError);
  });

  it("the refusal itself is harmless on a terminal", () => {
    expect(() => parseName("node", "\u001b[2Jx")).toThrow(/^node name "·\[2Jx" is not right/);
  });

  it("the same name twice is one", () => {
    expect(parseNames("node", ["node-a", "node-a"])).toEqual(["node-a"]);
  });
});

describe("KEY=VALUE words", () => {
  it("keep every = after the first", () => {
    expect(parsePairs("--set", ["url=a=b", "empty="])).toEqual({ url: "a=b", empty: "" });
  });

  it.each([
    ["no sign", ["port"]],
    ["no key", ["=1"]],
    ["twice", ["port=1", "port=2"]],
  ])("%s is refused", (_what, words) => {
    expect(() => parsePairs("--set", words)).toThrow(InputError);
  });

  it("__proto__ is a key like any other, and no prototype", () => {
    const pairs = parsePairs("--set", ["__proto__=x"]);
    expect(Object.keys(pairs)).toEqual(["__proto__"]);
  });
});

describe("seconds", () => {
  it.each(["", "-1", "1e9", "NaN", "0x10", "1.5", "99999999", "१"])("%s is refused", (text) => {
    expect(() => parseSeconds("--timeout", text, { min: 1, max: 3600 })).toThrow(InputError);
  });
  it("become milliseconds", () => expect(parseSeconds("--timeout", "60", { min: 1, max: 3600 })).toBe(60_000));
});

describe("a reason that is kept (R48)", () => {
  it("is kept as it is, on one line", () => {
    expect(parseWhy("the disk\nis new", 200)).toBe("the disk is new");
    expect(parseWhy(undefined, 200)).toBe("");
    expect(parseWhy("x".repeat(200), 200)).toHaveLength(200);
  });

  it.each([201, 100_000])("of %d characters is refused, and not cut", (length) => {
    expect(() => parseWhy("x".repeat(length), 200)).toThrow(
      `--why takes at most 200 characters, this one has ${length}`,
    );
  });
});
