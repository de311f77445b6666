import { expect, it } from "vitest";
import { type BuildDependencies, createBuildActivities } from "../../src/activities/build.ts";

// Refused before anything else of it is touched.
const { buildModule } = createBuildActivities({ mesh: "home" } as BuildDependencies);
const inputs = `sha256:${"0".repeat(64)}`;

it.each([
  ["of another mesh", { mesh: "other", module: "app", inputs }],
  ["with a name that is none", { mesh: "home", module: "../app", inputs }],
  ["with inputs that are none", { mesh: "home", module: "app", inputs: "newest" }],
])("a build %s is refused at once, and not tried again", async (_what, request) => {
  await expect(buildModule(request)).rejects.toMatchObject({ nonRetryable: true, type: "InputError" });
});
