import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { createGoBuilder } from "../../../src/build/builders/go.ts";
import { prepareGoArtifact } from "../../../src/build/builders/go-artifact.ts";
import { judgeGoVersion } from "../../../src/build/builders/go-third-parties.ts";
import type { GoPackage } from "../../../src/build/builders/go-packages.ts";
import { listFiles } from "../../../src/build/list-files.ts";
import { readGoMod } from "../../../src/source/imports/go-mod.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

async function prepare(files: Record<string, string>, one: GoPackage): Promise<string> {
  const root = await createTemporaryFolder();
  for (const [path, text] of Object.entries({ "go.mod": "module mesh.test/core\n\ngo 1.22\n", ...files })) {
    await mkdir(dirname(join(root, "module", path)), { recursive: true });
    await writeFile(join(root, "module", path), text);
  }
  await mkdir(join(root, "go", "bin"), { recursive: true });
  const mod = readGoMod(await readFile(join(root, "module", "go.mod"), "utf8"));
  const plan = { mod, modules: [], carried: [], findings: [], ownSums: [] };
  const known = { kind: "plan", thirdParties: new Map<string, string>(), sums: [], owners: new Map() } as const;
  const prepared = await prepareGoArtifact({ root } as never, { ...known, ...plan }, [
    { ...one, Dir: join(root, "module") },
  ]);
  if (prepared.kind !== "prepared") throw new Error("nothing is in the way");
  return prepared.folder;
}

it("keeps what a service serves out of a folder that is called vendor (R11)", async () => {
  const folder = await prepare(
    { "web/vendor/a.js": "1", "static/vendor/b/c.css": "2", "a/testdata/d.txt": "3", "main.go": "package main\n" },
    { ImportPath: "mesh.test/core", Name: "main", GoFiles: ["main.go"] },
  );
  expect((await listFiles(folder)).toSorted()).toEqual(["static/vendor/b/c.css", "web/vendor/a.js"]);
  const builder = createGoBuilder(() => null);
  expect(["vendor/a/b.go", "web/vendor/a.js"].map((path) => builder.keeps(path))).toEqual([false, true]);
});

it("takes no comment out of source that a package carries as text (R10)", async () => {
  const text = "// Made by {{.}}.\npackage made // yes\n";
  const code = "// Words.\npackage core\n";
  const folder = await prepare(
    { "core.go": code, "made.go": text },
    { ImportPath: "mesh.test/core", Name: "core", GoFiles: ["core.go"], EmbedFiles: ["made.go"] },
  );
  const published = (await listFiles(folder)).filter((path) => path.endsWith(".go"));
  const texts = await Promise.all(published.map((path) => readFile(join(folder, path), "utf8")));
  expect(texts.toSorted()).toEqual(["\npackage core\n", text].toSorted());
});

it.each([
  ["1.19.8", "1.22.0"],
  ["1.19.8", "1.22"],
  ["1.26.8", "1.27"],
])("on a machine with Go %s a module of go %s is outstanding, before anything runs (R11)", async (version, wanted) => {
  const root = await createTemporaryFolder();
  await mkdir(join(root, "module"));
  await writeFile(join(root, "module", "go.mod"), `module mesh.test/core\n\ngo ${wanted}\n`);
  const builder = createGoBuilder(() => ({ program: "/none/bin/go", root: "/none", version }));
  expect(await builder.build({ root, dependencies: [], onStep: () => undefined } as never)).toMatchObject({
    verdict: {
      verdict: "outstanding",
      class: "toolchain",
      message: `go.mod:3: asks for go ${wanted}, and this machine has go ${version}: install that Go on the machine that builds`,
    },
  });
});

it("a third party that is too new for a Go before 1.21 is outstanding, by what that says behind its errors (R11)", () => {
  // As Go 1.19.8 has it.
  const log = "# x.test/y\n../mod/x.test/y@v1.0.0/y.go:2:9: undefined: min\nnote: module requires Go 1.22\n";
  expect(judgeGoVersion(log)).toMatchObject({ verdict: { verdict: "outstanding", class: "toolchain" } });
  expect(judgeGoVersion('core.go:3:5: cannot use "note: module requires Go 1.22" as int value\n')).toBeNull();
});
