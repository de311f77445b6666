import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPythonBed, dependOn, listPaths, pythonCore, pythonModule, unpackBuilt } from "../support/python-bed.ts";

const timeout = 180_000;

describe("what artifacts carry", () => {
  const through = (module: string, imported: string): Record<string, string> =>
    pythonModule(module, { [`src/${module}/__init__.py`]: `from ${imported} import one\n` });

  it("a diamond has one core, and two cores are never mixed (R9)", { timeout: 2 * timeout }, async () => {
    const top = {
      "src/top/__init__.py": "from left import one\nfrom right import one as other\nassert one is other\n",
    };
    const bed = await createPythonBed({
      ...pythonCore,
      ...through("left", "core"),
      ...through("right", "core"),
      ...pythonModule("top", top),
    });
    const before = await bed.buildFit("core");
    const left = await bed.buildFit("left", { dependencies: [dependOn("core", before)] });
    const right = await bed.buildFit("right", { dependencies: [dependOn("core", before)] });
    const artifact = await bed.buildFit("top", { dependencies: [dependOn("left", left), dependOn("right", right)] });
    const text = await readFile(join(await unpackBuilt(bed, artifact), "mesh-python.json"), "utf8");
    const names = [...text.matchAll(/"name": "(.*)"/g)].map(([, name]) => name);
    expect(names).toEqual(["core", "left", "right", "top"]);

    await bed.origin.commit({ "core/src/core/__init__.py": "def one():\n    return 1 + 0\n" });
    const after = await bed.buildFit("core");
    const newer = await bed.buildFit("right", { dependencies: [dependOn("core", after)] });
    const mixed = await bed.build("top", { dependencies: [dependOn("left", left), dependOn("right", newer)] });
    expect(mixed.verdict).toMatchObject({
      verdict: "outstanding",
      class: "dependency",
      message: expect.stringMatching(/^left carries core 0\.0\.0\+sha\.\w+, and right carries .*never mixed/),
    });
  });

  it(
    "what runs of the lock, not what only tests need; pytest runs where it is locked, and names what fails (R8, R11)",
    { timeout: 2 * timeout },
    async () => {
      const wheels = {
        iniconfig: ["2.3.1", "9121e2c1fdb355232495be3194c8dfe87ccc2d5dee45947b78e68f499790d7a7"],
        packaging: ["26.4", "81383611a09c1bc0b08b76e0fd5829d7c6824c65b27a6aee339da133f4233ea2"],
        pluggy: ["1.7.0", "7dd7b0d8832ba3cb632c306926ded123429211b83641b35dc5c41ad2d34f9bec"],
        pytest: ["8.3.5", "c69214aa47deac29fad6c2a4f590b9c4a9fdb16a403176fe154b79c0b4d4d820"],
      };
      const lock = Object.entries(wheels).map(
        ([name, [version, hash]]) => `${name}==${version} --hash=sha256:${hash}\n`,
      );
      const bed = await createPythonBed({
        ...pythonModule(
          "app",
          {
            "src/app/__init__.py": "import iniconfig\n",
            "requirements.lock": lock.join(""),
            "tests/test_app.py":
              "import pytest\nimport app\n\n@pytest.mark.parametrize('x', [1, 2])\ndef test_x(x):\n    assert app\n",
          },
          { dependencies: ["iniconfig"], more: '[dependency-groups]\ndev = ["pytest"]' },
        ),
      });
      const paths = await listPaths(await unpackBuilt(bed, await bed.buildFit("app")));
      const tops = new Set(paths.flatMap((path) => /^lib\/([^/]+)/.exec(path)?.[1] ?? []));
      expect([...tops].toSorted()).toEqual([
        "app",
        "app-0.0.0+sha.X.dist-info",
        "iniconfig",
        "iniconfig-2.3.1.dist-info",
      ]);
      expect(paths.filter((path) => /INSTALLER|REQUESTED|direct_url|\/bin\//.test(path))).toEqual([]);

      await bed.origin.commit({
        "app/tests/test_app.py": "def test_x():\n    assert 1 == 2\n\ndef test_y():\n    pass\n",
      });
      expect((await bed.build("app")).verdict).toMatchObject({
        verdict: "unfit",
        stage: "test",
        message: expect.stringMatching(/^1 test fails:\n.*test_x: assert 1 == 2$/),
      });
      await bed.origin.commit({ "app/tests/test_app.py": "def check_x():\n    assert False\n" });
      expect((await bed.build("app")).verdict).toMatchObject({
        verdict: "unfit",
        stage: "test",
        message: expect.stringMatching(/^tests\/test_app\.py: this file holds no test that pytest runs: /),
      });
      await bed.origin.commit({
        "app/tests/test_app.py": "import pytest\n\npytest.skip('not here', allow_module_level=True)\n",
      });
      await bed.buildFit("app");
      // A wheel that is not the one that was locked: nobody here knows which of the two is wrong.
      await bed.origin.commit({ "app/requirements.lock": `iniconfig==2.3.1 --hash=sha256:${"0".repeat(64)}\n` });
      expect((await bed.build("app")).verdict).toMatchObject({
        verdict: "outstanding",
        class: "registry",
        message: expect.stringMatching(/iniconfig.*0000/s),
      });
    },
  );
});
