import { describe, expect, it } from "vitest";
import { type DebtFacts, remedyOfDebt } from "../../src/decide/remedy-of-debt.ts";
import { digestNamed } from "./support/build-world.ts";

const build = digestNamed("a build");
const provision = { provider: { node: "node-b", module: "postgres", incarnation: "first" } };
const replaced: DebtFacts = {
  provision,
  node: { incarnation: "second" },
  sent: { builds: { web: build } },
  isApplied: false,
};

describe("a withdrawal that its provider owes (R20)", () => {
  it("needs a person, where another host took its place and has no such provider: the old one confirms nothing more", () => {
    expect(remedyOfDebt(replaced)).toMatch(/^its host was replaced.*mesh assign node-b postgres, mesh push node-b/);
  });

  it("needs a person, where its host was away all the time that the access was given, and has what came after it", () => {
    const same = { ...replaced, node: { incarnation: "first" }, isApplied: true };
    expect(remedyOfDebt(same)).toMatch(
      /^its host has all that it was last sent, and never knew of this.*mesh assign node-b/,
    );
  });

  it.each<[string, Partial<DebtFacts>]>([
    [
      "its host is the one that gave the access, and has not read back what it was last sent",
      { node: { incarnation: "first" } },
    ],
    ["the new host has that provider, and reads its server", { sent: { builds: { postgres: build } } }],
    ["nobody knows what the new host was sent", { sent: { builds: null } }],
    ["the new host was sent nothing yet", { sent: undefined }],
    ["no host is enrolled: the old one may come back", { node: { incarnation: null } }],
    ["there is no such node", { node: undefined }],
  ])("waits for its host, where %s", (_, change) => {
    expect(remedyOfDebt({ ...replaced, ...change })).toBeNull();
  });
});
