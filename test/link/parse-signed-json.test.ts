import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSignedJson } from "../../src/link/parse-signed-json.ts";

const limits = { bytes: 1024 * 1024, depth: 8 };
const parse = (text: string) => parseSignedJson(Buffer.from(text), limits);

describe("signed JSON", () => {
  it.each([
    ["a key twice", '{"a":1,"a":2}', "twice"],
    ["a key twice, once escaped", '{"a":1,"\\u0061":2}', "twice"],
    ["a key twice, deep inside", '{"x":[{"b":{"a":1,"c":"}","a":2}}]}', "twice"],
    ["__proto__", '{"__proto__":{"admin":true}}', "__proto__"],
    ["__proto__, escaped", '{"\\u005f_proto__":1}', "__proto__"],
    ["a number that would be rounded", "9007199254740993", "safe integer"],
    ["a number that would be rounded, negative", "-9007199254740993", "safe integer"],
    ["a fraction", '{"a":1.5}', "safe integer"],
    ["an exponent", '{"a":1e3}', "safe integer"],
    ["a number beyond all", "1e999", "safe integer"],
    ["minus nought", "-0", "safe integer"],
    ["half a surrogate pair", '"\\ud800"', "surrogate"],
    ["half a surrogate pair in a key", '{"\\udc00":1}', "surrogate"],
    ["nested too deep", "[".repeat(9) + "]".repeat(9), "deeper"],
    ["objects nested too deep", '{"a":'.repeat(9) + "1" + "}".repeat(9), "deeper"],
    ["NaN", "NaN", "not JSON"],
    ["a comma too many", "[1,]", "not JSON"],
    ["a string without an end", '{"a', "not JSON"],
    ["an escape that is none", '"\\x"', "not JSON"],
    ["two values", "1 2", "not JSON"],
    ["a comment", "{}//", "not JSON"],
    ["nothing", "", "not JSON"],
  ])("refuses %s (case 45)", (_name, text, message) => {
    expect(parse(text)).toMatchObject({ ok: false, check: "schema", message: expect.stringContaining(message) });
  });

  it("refuses what is not UTF-8", () => {
    const result = parseSignedJson(Buffer.from([0x22, 0xff, 0x22]), limits);
    expect(result).toMatchObject({ ok: false, message: "not UTF-8" });
  });

  it("refuses two million levels in a moment, whatever the limit of bytes (case 45)", () => {
    const deep = Buffer.from("[".repeat(2_000_000) + "]".repeat(2_000_000));
    expect(parseSignedJson(deep, { bytes: deep.length, depth: 32 })).toMatchObject({ ok: false, check: "schema" });
  });

  it("refuses by size first", () => {
    expect(parseSignedJson(Buffer.from("[1]"), { bytes: 2, depth: 1 })).toMatchObject({ check: "size" });
  });

  it("never quotes what it refuses: it may be a secret", () => {
    const result = parse('{"password":"canary",}');
    expect(JSON.stringify(result)).not.toContain("canary");
  });

  it("lets through all that JSON.parse reads the same way, unchanged", () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 5 }, tie("leaf"), fc.array(tie("any")), fc.dictionary(tie("key") as never, tie("any"))),
      key: fc.string({ unit: "binary" }).filter((key) => key !== "__proto__"),
      leaf: fc.oneof(
        fc.string({ unit: "grapheme" }),
        fc.maxSafeInteger().map((number) => number + 0),
        fc.boolean(),
        fc.constant(null),
      ),
    })).any;
    fc.assert(
      fc.property(value, fc.boolean(), (given, spaced) => {
        const text = JSON.stringify(given, null, spaced ? 2 : 0);
        expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  it("agrees with JSON.parse on what is no JSON at all", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[],:"\\a1 -.'.split("")), maxLength: 12 }), (text) => {
        const result = parse(text);
        if (result.ok) expect(result.value).toEqual(JSON.parse(text));
      }),
      { numRuns: 5000 },
    );
  });
});
