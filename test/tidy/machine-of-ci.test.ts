import { describe, expect, it } from "vitest";
import { openSandboxes } from "../../src/build/open-sandbox.ts";
import { describeToolchain } from "../../src/build/toolchain.ts";
import { languageSchema } from "../../src/core/manifest.ts";
import { isCi } from "../support/is-ci.ts";

/** Suites leave out what cannot be tried on a machine: on somebody's own that is said by its name, in CI it is a failure. */
function listMissing(toolchains: Readonly<Record<string, string>>, promises: readonly string[]): string[] {
  const absent = Object.entries(toolchains).filter(([, says]) => says.startsWith("absent"));
  return [
    ...absent.map(([language, says]) => `${language}: ${says}`),
    ...promises.filter((promise) => promise.startsWith("No builds on this machine")),
  ];
}

const compiled = languageSchema.options.filter((language) => language !== "files");

describe("the machine of CI", () => {
  it.runIf(isCi)("has every toolchain, and a sandbox: nothing that is built is left out there", async () => {
    const toolchains = Object.fromEntries(compiled.map((language) => [language, describeToolchain(language)]));
    const { promises } = await openSandboxes(false);
    expect(listMissing(toolchains, promises)).toEqual([]);
  });

  it("is told by name what it lacks", async () => {
    const { promises } = await openSandboxes(false, { bubblewrap: "/nonexistent/bwrap" });
    expect(listMissing({ go: "absent: there is no go on the PATH", rust: "rustc 1.80" }, promises)).toEqual([
      "go: absent: there is no go on the PATH",
      expect.stringMatching(/^No builds on this machine.*Install it: apt-get install bubblewrap/),
    ]);
  });
});
