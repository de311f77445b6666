import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, type CanonicalValue } from "../../src/core/canonical.ts";

const anyText = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "grapheme-ascii" }),
  fc.constantFrom('"', "\\", "\u007f", "\u0000", "\n", "\u2028", "é", "10", "9", "__proto__"),
);
const anyValue = fc.letrec<{ value: CanonicalValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    anyText,
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(anyText, tie("value"), { maxKeys: 5 }),
  ),
})).value;

describe("one text for one value", () => {
  it("is JSON of that value, whatever its texts hold", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  it("is the same in whatever order the members were put, sorted by code unit", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyText, { minLength: 1 }), (keys) => {
        const put = (order: readonly string[]): CanonicalValue =>
          Object.fromEntries(order.map((key) => [key, key.length]));
        const text = canonicalJson(put(keys));
        expect(canonicalJson(put(keys.toReversed()))).toBe(text);
        const sorted = keys.toSorted().map((key) => `${JSON.stringify(key)}:${key.length}`);
        expect(text).toBe(`{${sorted.join(",")}}`);
      }),
    );
  });

  it("is refused for half of a surrogate pair, as a text and as a name of a member", () => {
    for (const value of ["a\ud800", { "\udfff": 1 }])
      expect(() => canonicalJson(value)).toThrow("canonical JSON cannot hold a lone surrogate");
  });
});
