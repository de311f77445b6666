import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { publicRegistries } from "../../../src/build/builders/builder.ts";
import { findNpm } from "../../../src/build/builders/find-npm.ts";
import { placeThirdParties } from "../../../src/build/builders/third-parties.ts";
import { sandboxLimits } from "../../../src/build/sandbox.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

it("npm is the one beside Node, then the one on the PATH, and may be none", async () => {
  const folder = await createTemporaryFolder();
  const at = { node: join(folder, "bin", "node"), path: join(folder, "path"), shared: join(folder, "shared") };
  expect(findNpm(at)).toBeNull();
  await mkdir(join(folder, "elsewhere", "bin"), { recursive: true });
  await mkdir(join(folder, "path"));
  await writeFile(join(folder, "elsewhere", "bin", "npm-cli.js"), "");
  await symlink(join(folder, "elsewhere", "bin", "npm-cli.js"), join(folder, "path", "npm"));
  expect(findNpm(at)).toBe(join(folder, "elsewhere"));
  await mkdir(join(folder, "lib", "node_modules", "npm", "bin"), { recursive: true });
  await writeFile(join(folder, "lib", "node_modules", "npm", "bin", "npm-cli.js"), "");
  expect(findNpm(at)).toBe(join(folder, "lib", "node_modules", "npm"));
});

it("a machine without npm leaves a module with third parties outstanding, and says what to install (R11)", async () => {
  const folder = await createTemporaryFolder();
  const left = {
    version: "1.0.0",
    resolved: "https://registry.npmjs.org/left/-/left-1.0.0.tgz",
    integrity: "sha512-AA==",
  };
  const own = { name: "@test/app", dependencies: { left: "1.0.0" } };
  const packages = { "": { dependencies: own.dependencies }, "node_modules/left": left };
  await writeFile(join(folder, "package-lock.json"), JSON.stringify({ lockfileVersion: 3, packages }));
  const job = {
    module: "app",
    root: folder,
    dependencies: [],
    cache: join(folder, "cache"),
    registries: publicRegistries,
    sandbox: { promises: [], run: () => Promise.reject(new Error("nothing runs without npm")) },
    limits: sandboxLimits,
    signal: undefined,
    onStep: () => undefined,
    log: () => undefined,
  };
  const outcome = await placeThirdParties(job, folder, own, new Set(), null);
  expect(outcome).toMatchObject({
    kind: "judged",
    verdict: {
      verdict: "outstanding",
      class: "toolchain",
      message: expect.stringMatching(/no npm belongs to .*node, and none is on the PATH.*\. Install npm there/),
    },
  });
});
