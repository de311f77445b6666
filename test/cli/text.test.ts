import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeDuration } from "../../src/core/durations.ts";
import { describeAge } from "../../src/cli/text/ages.ts";
import { alignColumns } from "../../src/cli/text/columns.ts";
import { plainLine } from "../../src/cli/text/plain.ts";

const now = new Date("2026-01-01T00:00:00Z");

describe("text from outside on a terminal (case 52)", () => {
  it.each([
    ["an escape sequence", "\u001b[31mred\u001b]0;title\u0007", "·[31mred·]0;title·"],
    ["a carriage return that would write over the line", "fit\rnot fit", "fit not fit"],
    ["newlines", "one\n\ntwo", "one two"],
    ["C1 controls", "a\u009b31mb", "a·31mb"],
    ["right-to-left marks", "abc\u202edcba", "abc·dcba"],
    ["a zero-width joiner", "me\u200dsh", "me·sh"],
    ["markup, which a terminal does not act upon", "<script>", "<script>"],
    ["a lone surrogate", "a\ud800b", "a\ufffdb"],
  ])("%s is harmless", (_what, text, shown) => {
    expect(plainLine(text)).toBe(shown);
  });

  it("a megabyte is cut", () => {
    expect(plainLine("x".repeat(1_000_000), 80)).toHaveLength(80);
  });

  it("nothing that a terminal acts upon survives, whatever comes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        // oxlint-disable-next-line no-control-regex -- they are what is looked for
        expect(plainLine(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      }),
    );
  });
});

describe("columns", () => {
  it("are aligned, and nothing hangs behind the last", () => {
    expect(
      alignColumns([
        ["A", "BB", "C"],
        ["aaa", "b", ""],
      ]),
    ).toBe("A    BB  C\naaa  b");
  });
});

describe("ages and lengths of time", () => {
  it.each([
    [340, "340 ms"],
    [4_210, "4.2 s"],
    [59_999, "59 s"],
    [61_000, "1 min"],
    [3 * 3_600_000, "3 h"],
    [50 * 3_600_000, "2 d"],
  ])("%i ms is %s", (ms, text) => {
    expect(describeDuration(ms)).toBe(text);
  });

  it("a clock that is ahead of ours is no negative age", () => {
    expect(describeAge(new Date("2026-01-01T00:00:09Z"), now)).toBe("just now");
    expect(describeAge("2025-12-31T23:58:00.000Z", now)).toBe("2 min ago");
    expect(describeAge(null, now)).toBe("never");
  });
});
