import { describe, expect, it } from "vitest";
import { built, designs } from "./designs.ts";
import { search } from "./search.ts";

describe("every order of leases, numbers and sends (R27, R34, R35, R36; cases 35, 36, 38, 41)", () => {
  const timeout = 120_000;

  it.each(designs.filter((design) => design.invariant === "holds").map((design) => [design.name, design] as const))(
    "holds over the whole space: %s",
    { timeout },
    (_name, design) => {
      const result = search(design);
      expect(result.kind === "broken" ? result.trace : []).toEqual([]);
      expect(result.states).toBeGreaterThan(1000);
    },
  );

  it.each(
    designs
      .filter((design) => design.invariant !== "holds")
      .map((design) => [design.name, design.invariant, design] as const),
  )("is broken, by a shortest trace in words: %s (%s)", { timeout }, (_name, invariant, design) => {
    const result = search(design);
    expect(result).toMatchObject({ kind: "broken", invariant });
    if (result.kind === "broken") expect(result.trace).toMatchSnapshot();
  });

  it("says so where it did not come to the end", () => {
    expect(() => search(built, 100)).toThrow(/not searched to the end/);
  });
});
