import { describe, expect, it } from "vitest";
import { z } from "zod";
import { sayIssue } from "../../src/core/say-issue.ts";

describe("what a schema found wrong, in words for people (R48)", () => {
  it.each<[z.ZodType, unknown, string]>([
    [z.number(), "3", "a number, not text"],
    [z.number().int(), 1.5, "a whole number"],
    [z.string(), undefined, "text is missing"],
    [z.number().min(200), 3, "at least 200"],
    [z.number().max(5), 6, "at most 5"],
    [z.string().max(3), "abcd", "at most 3 characters"],
    [z.array(z.string()).min(1), [], "at least 1 entry"],
    [z.enum(["debug", "info"]), "loud", 'one of "debug", "info"'],
    [z.literal(1), 2, "only 1"],
    [z.strictObject({ a: z.string() }), { a: "", listne: 1 }, 'nothing here is called "listne"'],
    [z.union([z.boolean(), z.array(z.string())]), "x", "true or false, not text, or a list, not text"],
    [z.string().regex(/^a/, "starts with an a"), "b", "starts with an a"],
    [z.url(), "b", "not a valid url"],
  ])("%#: %j", (schema, value, words) => {
    expect(sayIssue(schema.safeParse(value).error?.issues[0])).toBe(words);
  });
});
