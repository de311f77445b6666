import { expect, it } from "vitest";
import { situationOf } from "../../src/decide/situation.ts";
import type { SituationFacts } from "../../src/decide/situation-facts.ts";
import { buildFacts } from "./support/build-situation.ts";
import { buildOf } from "./support/build-world.ts";

const builds = { app: buildOf("app", 2), cart: buildOf("cart", 2), web: buildOf("web", 1) };
const problem = { code: "no-provider", module: "app", why: "database of app has no provider" } as const;
const composition: SituationFacts["composition"] = {
  kind: "not-worked-out",
  node: "node-a",
  problems: [problem],
  builds,
};

it("says of what else nothing new reaches a node that one module keeps from being worked out", () => {
  const sent = { ...buildFacts().sent!, builds: { app: buildOf("app", 1), web: buildOf("web", 1) } };
  const situation = situationOf(buildFacts({ sent, composition }));
  expect(situation.heldUp).toEqual(["cart"]);
  expect(situation.why).toBe(`${problem.why}; until then nothing new of cart reaches it either`);
  const alone = situationOf(buildFacts({ sent: { ...sent, builds }, composition }));
  expect(alone.heldUp).toBeUndefined();
  expect(alone.why).toBe(problem.why);
});
