import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import type * as findNpmModule from "../../../src/build/builders/find-npm.ts";
import { createBuildBed, typescriptModule } from "../../support/build-bed.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

vi.mock("../../../src/build/builders/find-npm.ts", () => ({ findNpm: () => null }));

it("npm is the one beside Node, then the one on the PATH, and may be none", async () => {
  const { findNpm } = await vi.importActual<typeof findNpmModule>("../../../src/build/builders/find-npm.ts");
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
  const bed = await createBuildBed();
  const left = {
    version: "1.0.0",
    resolved: "https://registry.npmjs.org/left/-/left-1.0.0.tgz",
    integrity: "sha512-AA==",
  };
  await bed.origin.commit(
    typescriptModule("app", {
      "package.json": JSON.stringify({ name: "@test/app", type: "module", dependencies: { left: "1.0.0" } }),
      "package-lock.json": JSON.stringify({
        lockfileVersion: 3,
        packages: { "": { dependencies: { left: "1.0.0" } }, "node_modules/left": left },
      }),
      "src/index.ts": `export const one = 1;\n`,
    }),
  );
  expect((await bed.build("app")).verdict).toMatchObject({
    verdict: "outstanding",
    class: "toolchain",
    message: expect.stringMatching(/no npm belongs to .*node, and none is on the PATH.*\. Install npm there/),
  });
}, 60_000);
