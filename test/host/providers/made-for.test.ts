import { expect, it } from "vitest";
import { provisionId } from "../../../src/decide/provision-name.ts";
import { isMadeFor, readMarker, writeMarker } from "../../../src/host/providers/provision-marker.ts";

const consumer = { node: "shop-1", module: "web", requirement: "database" };
const provider = { node: "node-b", module: "postgres", incarnation: "4519914d96bb4999" };
const first = provisionId(consumer, "bc8df00f2ec65f5d", provider);
const owner = { mesh: "home", node: "node-b", module: "postgres" };
const marker = readMarker(writeMarker("home", { provision: first, version: 3 }), owner);

/** By the ids that the controller really makes: what a host marks is only found again where both agree on them (R46). */
it.each([
  ["the same one", first, true],
  ["its consumer's host was enrolled anew (case 22)", provisionId(consumer, "dafe4f26bed73e52", provider), true],
  [
    "the provider's host was enrolled anew",
    provisionId(consumer, "bc8df00f2ec65f5d", { ...provider, incarnation: "caccb1d381a1345d" }),
    true,
  ],
  ["another node's", provisionId({ ...consumer, node: "shop-2" }, "bc8df00f2ec65f5d", provider), false],
  ["another module's", provisionId({ ...consumer, module: "webshop" }, "bc8df00f2ec65f5d", provider), false],
  ["another requirement's", provisionId({ ...consumer, requirement: "jobs" }, "bc8df00f2ec65f5d", provider), false],
  ["another provider's", provisionId(consumer, "bc8df00f2ec65f5d", { ...provider, module: "postgres-2" }), false],
] as const)("what was made for one is for %s: %s", (_what, provision, isFor) => {
  expect(marker).not.toBeNull();
  expect(isMadeFor(marker, { provision })).toBe(isFor);
});

it("what nobody marked was made for nobody", () => {
  expect(isMadeFor(null, { provision: first })).toBe(false);
});
