import type { z } from "zod";

const names: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
  undefined: "nothing",
};

/**
 * What a schema found wrong, as the end of a sentence. A rule of ours has words of its own; the library's are for
 * programmers: `Invalid input: expected number, received string`.
 */
export function sayIssue(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return "not as expected";
  if (!/^(Invalid|Too|Unrecognized)\b/.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return sayType(issue.expected, / received (\w+)/.exec(issue.message)?.[1] ?? "");
    case "too_small":
      return `at least ${String(issue.minimum)}${sayUnit(issue.origin, Number(issue.minimum))}`;
    case "too_big":
      return `at most ${String(issue.maximum)}${sayUnit(issue.origin, Number(issue.maximum))}`;
    case "unrecognized_keys":
      return `nothing here is called ${issue.keys
        .slice(0, 5)
        .map((key) => JSON.stringify(key.slice(0, 60)))
        .join(", ")}`;
    case "invalid_value":
      return `${issue.values.length === 1 ? "only" : "one of"} ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "invalid_format":
      return `not a valid ${issue.format === "regex" ? "text for this" : issue.format}`;
    case "invalid_union":
      return sayUnion(issue.errors);
    case "custom":
    case "invalid_element":
    case "invalid_key":
    case "not_multiple_of":
      return "not as expected";
  }
}

/** The same, after the key it is about, where there is one; keys are cut, for a file may have made them as long as it is. */
export function sayIssueAt(issue: z.core.$ZodIssue | undefined): string {
  const key = (issue?.path ?? []).map(String).join(".").slice(0, 200);
  return key === "" ? `is not as it must be: ${sayIssue(issue)}` : `${key}: ${sayIssue(issue)}`;
}

function sayType(expected: string, received: string): string {
  const wanted = names[expected] ?? expected;
  if (expected === "int" && received === "number") return wanted;
  if (received === "undefined") return `${wanted} is missing`;
  return `${wanted}, not ${names[received] ?? received}`;
}

function sayUnit(origin: string, count: number): string {
  if (origin === "string") return count === 1 ? " character" : " characters";
  return origin === "array" || origin === "set" ? (count === 1 ? " entry" : " entries") : "";
}

/** One of several shapes: what each would have taken. */
function sayUnion(errors: readonly (readonly z.core.$ZodIssue[])[]): string {
  const each = errors.flatMap((issues) => (issues[0] === undefined ? [] : [sayIssue(issues[0])]));
  return each.length === 0 ? "not as expected" : [...new Set(each)].join(", or ");
}
