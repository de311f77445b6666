import { describe, expect, it } from "vitest";
import { createRandom } from "../../simulation/random.ts";
import { failpointNames } from "../../../src/core/failpoints.ts";
import { scenarios } from "../scenarios/scenarios.ts";
import { shortList } from "../scenarios/short-list.ts";
import { chooseRound } from "./choose-round.ts";
import { readArguments } from "./read-arguments.ts";

const names = (seed: number): string[] => chooseRound(scenarios, createRandom(seed, "order")).map(({ name }) => name);

describe("a round of faults", () => {
  it("has every scenario once, in an order that its seed says", () => {
    expect(names(1).toSorted()).toEqual(scenarios.map(({ name }) => name).toSorted());
    expect(names(1)).toEqual(names(1));
    expect(names(1)).not.toEqual(names(2));
  });

  it("begins with one of each group, so that a short one has something of everything", () => {
    const groups = new Set(scenarios.map(({ group }) => group));
    const first = chooseRound(scenarios, createRandom(3, "order")).slice(0, groups.size);
    expect(new Set(first.map(({ group }) => group))).toEqual(groups);
  });

  it("has a kill and a stop at every failpoint there is", () => {
    const all = new Set(scenarios.map(({ name }) => name));
    expect(all.size).toBe(scenarios.length);
    for (const point of failpointNames)
      for (const action of ["kill", "stop"]) expect(all).toContain(`${action}@${point}`);
  });

  it("has everything of the fixed list, one of each kind of fault but the clock's and a build's", () => {
    const listed = scenarios.filter(({ name }) => shortList.includes(name));
    expect(listed.map(({ name }) => name).toSorted()).toEqual(shortList.toSorted());
    const groups = ["controller", "host", "load", "network", "records", "temporal"];
    expect([...new Set(listed.map(({ group }) => group))].toSorted()).toEqual(groups);
    expect(readArguments(["--short"]).short).toBe(true);
  });

  it("is not begun by arguments that do not read", () => {
    expect(() => readArguments(["--seed", "many"])).toThrow("--seed takes a number");
    expect(() => readArguments(["--times", "0"])).toThrow("--times takes a number");
    expect(readArguments(["--scenario", "a", "--scenario", "b"]).scenarios).toEqual(["a", "b"]);
  });
});
