import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { longest, orderFiles, type Placed } from "./run-order.ts";

describe("the order of a run", () => {
  const place = (project: string, file: string): Placed => ({ project, file: `/clone/${file}` });
  const [first = "", second = ""] = longest;

  it("begins with what takes longest, and goes on with one project after the other", () => {
    const [unit, records, next] = [
      place("unit", "a.test.ts"),
      place("records", "b.pg.test.ts"),
      place("unit", "c.test.ts"),
    ];
    const [long, longer] = [place("records", second), place("unit", first)];
    const ordered = orderFiles([unit, records, long, next, longer], (file) => file);
    expect(ordered).toEqual([longer, long, unit, next, records]);
  });

  it.each(longest)("knows no file that is gone: %s", (file) => {
    expect(existsSync(file)).toBe(true);
  });
});
