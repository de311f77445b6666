import { expect, it } from "vitest";
import { createMoves } from "../../../src/cli/up/say-moves.ts";

const full = "fetching packages was stopped by the limit on disk: no space was left to write to in /build/fetch";

it("says a reason once, however often a build is tried again for it, and what is new after it (R33, R48)", () => {
  const said: string[] = [];
  const sayMove = createMoves((line) => said.push(line));
  const stand = (name: string, standing: "out-of-date" | "building" | "outstanding" | "current", standingWhy: string) =>
    sayMove({ name, standing, standingWhy });
  stand("core", "out-of-date", "core was never fit");
  for (let attempt = 0; attempt < 20; attempt += 1) {
    stand("core", "building", "core is being built");
    stand("core", "outstanding", full);
    stand("core", "out-of-date", `core is tried again: ${full}`);
  }
  stand("page", "outstanding", full);
  stand("core", "outstanding", "the registry does not answer");
  stand("core", "current", "");
  expect(said).toEqual([
    "core: out-of-date: core was never fit",
    "core: building: core is being built",
    `core: outstanding: ${full} (it is tried again by itself)`,
    `page: outstanding: ${full} (it is tried again by itself)`,
    "core: outstanding: the registry does not answer (it is tried again by itself)",
    "core: fit",
  ]);
});
