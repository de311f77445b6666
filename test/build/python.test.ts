import { execFile } from "node:child_process";
import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSandbox } from "../../src/build/open-sandbox.ts";
import {
  createPythonBed,
  dependOn,
  listPaths,
  pythonBackends,
  pythonCore,
  pythonModule,
  unittest,
  unpackBuilt,
} from "../support/python-bed.ts";

const run = promisify(execFile);
const timeout = 180_000;

describe("a fit Python module", () => {
  it.each(Object.entries(pythonBackends))(
    "built by %s is tested, imported and packed with its types (R5, R11)",
    { timeout },
    async (_, backend) => {
      const more = '[project.scripts]\ncore-one = "core:one"';
      const bed = await createPythonBed({
        ...pythonCore,
        ...pythonModule(
          "core",
          {
            "src/core/tests/__init__.py": "",
            "src/core/tests/test_in.py": `from .. import one\n${unittest("self.assertEqual(one(), 1)")}`,
            "README.md": "x",
          },
          { backend, more },
        ),
      });
      const steps = new Set<string>();
      const artifact = await bed.buildFit("core", { onProgress: (step) => steps.add(step) });
      expect(await listPaths(await unpackBuilt(bed, artifact))).toEqual([
        "bin/core-one",
        "lib/core-0.0.0+sha.X.dist-info/METADATA",
        "lib/core-0.0.0+sha.X.dist-info/RECORD",
        "lib/core-0.0.0+sha.X.dist-info/WHEEL",
        "lib/core-0.0.0+sha.X.dist-info/entry_points.txt",
        "lib/core/__init__.py",
        "lib/core/py.typed",
        "mesh-python.json",
        "mesh.yaml",
      ]);
      expect([...steps]).toEqual(["fetch", "compile", "test", "pack"]);
    },
  );

  it("is built against exactly the artifact of its closure, and runs from any folder (R5)", { timeout }, async () => {
    const main = `from core import one\n\ndef main():\n    print(one() + one())\n    return 0\n`;
    const check = `from importlib.metadata import version\nimport page.main\n${unittest('self.assertRegex(version("core"), "^0.0.0[+]sha[.][0-9a-f]{12}$")')}`;
    const bed = await createPythonBed({
      ...pythonCore,
      ...pythonModule(
        "page",
        { "src/page/__init__.py": "", "src/page/main.py": main, "tests/test_page.py": check },
        {
          dependencies: ["core>=3"],
          more: '[project.scripts]\npage = "page.main:main"',
        },
      ),
    });
    const artifact = await bed.buildFit("core");
    const folder = await unpackBuilt(bed, await bed.buildFit("page", { dependencies: [dependOn("core", artifact)] }));
    await rename(folder, `${folder} moved`);
    const { stdout } = await run(`${folder} moved/bin/page`, [], { cwd: "/" });
    expect(stdout).toBe("2\n");
    const paths = await listPaths(`${folder} moved`);
    expect(paths.filter((path) => path.endsWith(".pyc"))).toEqual([]);
    expect(paths).toContain("lib/core/py.typed");
    expect(await run("grep", ["-rlE", "/build|/root|/tmp", `${folder} moved`]).catch(codeOf)).toBe(1);
  });

  it(
    "whose comments and documents alone changed has the digest it had; its code changed, another (case 8, R10)",
    { timeout },
    async () => {
      const code =
        '#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n"""Core: # no comment."""\nX = """\n# no comment\n"""  # type: str\n';
      const bed = await createPythonBed({
        ...pythonCore,
        "core/src/core/__init__.py": `${code}def one():\n    return 1\n`,
      });
      const first = await bed.buildFit("core");
      const folder = await unpackBuilt(bed, first);
      expect(await readFile(join(folder, "lib/core/__init__.py"), "utf8")).toBe(`${code}def one():\n    return 1\n`);
      const commented = `${code}def one():  # A comment.\n    return 1   # Another.\n# And one more at the end.`;
      await bed.origin.commit({
        "core/src/core/__init__.py": commented,
        "core/README.md": "new",
        "core/tests/new.txt": "x",
      });
      const second = await bed.buildFit("core");
      // The last comment makes a line of its own, which stays: empty.
      expect(await readFile(join(await unpackBuilt(bed, second), "lib/core/__init__.py"), "utf8")).toBe(
        `${code}def one():\n    return 1\n`,
      );
      expect(second.digest).toBe(first.digest);
      await bed.origin.commit({ "core/src/core/__init__.py": `${code}def one():\n    return 2 - 1\n` });
      expect((await bed.buildFit("core")).digest).not.toBe(first.digest);
    },
  );

  it(
    "has the same digest in another place, under another umask, and without a sandbox (R10)",
    { timeout },
    async () => {
      const [one, two] = [await createPythonBed(pythonCore), await createPythonBed({ "core/z": "" })];
      for (const [path, text] of Object.entries(pythonCore).toReversed()) await two.origin.commit({ [path]: text });
      const first = await one.buildFit("core");
      const sandbox = await openSandbox({ bubblewrap: "/nowhere/bwrap", unsafeWithoutSandbox: true });
      const before = process.umask(0o077);
      onTestFinished(() => void process.umask(before));
      expect(await two.buildFit("core")).toEqual(first);
      expect(await one.buildFit("core", { sandbox })).toEqual(first);
    },
  );
});

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : error;
}
