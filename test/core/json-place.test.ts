import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findJsonPlaces, sayLine } from "../../src/core/json-place.ts";

describe("where a text stops to be JSON", () => {
  it.each([
    ['{"a": 1,}', "line 1, column 9"],
    ['{\n  "a": 1\n  "b": 2\n}', "line 3, column 3"],
    ["{\n  'a': 1\n}", "line 2, column 3"],
    ['{"a": tru}', "line 1, column 7"],
    ['{"a": 1', "line 1, column 8"],
    ["", "line 1, column 1"],
    ["{} {}", "line 1, column 4"],
    ['{"a": [1, 2}', "line 1, column 12"],
    ['{"a": "b\nc"}', "line 1, column 7"],
    ["// a comment\n{}", "line 1, column 1"],
  ])("%j: %s", (text, place) => {
    const { brokenAt } = findJsonPlaces(text);
    expect(sayLine(text, brokenAt ?? -1)).toBe(place);
  });

  it("is said of exactly what JSON.parse refuses, whatever the text is", () => {
    const parses = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const cut = fc
      .tuple(fc.json(), fc.nat(60), fc.constantFrom("", "}", ",", '"', "]", ":", "1", " ", "\\"))
      .map(([text, at, put]) => text.slice(0, at) + put + text.slice(at + 1));
    fc.assert(
      fc.property(fc.oneof(fc.json(), cut, fc.string()), (text) => {
        expect(findJsonPlaces(text).brokenAt === null).toBe(parses(text));
      }),
    );
  });
});

it("says where each member stands, by its path", () => {
  const { members } = findJsonPlaces('{"a": {"b": [1, {"c": 2}]},\n"d": 3}');
  expect([...members]).toEqual([
    ["a", 1],
    ["a.b", 7],
    ["a.b.c", 17],
    ["d", 28],
  ]);
});
