import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { listFiles } from "../../src/build/list-files.ts";
import { sandboxLimits } from "../../src/build/sandbox.ts";
import { createPythonBed, pythonBackends, pythonCore, pythonModule, unittest } from "../support/python-bed.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const timeout = 180_000;

describe("an unfit Python module (R11)", () => {
  it.each([
    ["setuptools", 'requires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"', /setuptools\.build_meta: use/],
    ["no backend", "requires = []", /no build backend/],
    ["a backend of its own", 'requires = []\nbuild-backend = "flit_core.buildapi"\nbackend-path = ["."]', /of its own/],
    ["a plugin", 'requires = ["hatchling", "hatch-vcs"]\nbuild-backend = "hatchling.build"', /needs hatch-vcs/],
  ])("has %s to be built with", { timeout }, async (_, backend, wanted) => {
    const bed = await createPythonBed(pythonModule("core", { "src/core/__init__.py": "" }, { backend }));
    expect((await bed.build("core")).verdict).toMatchObject({
      verdict: "unfit",
      stage: "compile",
      message: expect.stringMatching(wanted),
    });
  });

  it("does not compile, cannot be imported, or fails its tests: each is named", { timeout: 2 * timeout }, async () => {
    const bed = await createPythonBed({ ...pythonCore, "core/src/core/more.py": "x = 1\nreturn x\n" });
    const judge = async (stage: string, wanted: RegExp): Promise<void> => {
      expect((await bed.build("core")).verdict).toMatchObject({
        verdict: "unfit",
        stage,
        message: expect.stringMatching(wanted),
      });
    };
    await judge("compile", /^core\/more\.py:2: 'return' outside function$/);
    await bed.origin.commit({ "core/src/core/more.py": "from core import two\n" });
    await judge("compile", /^cannot be imported:\ncore\.more: ImportError: cannot import name 'two'/);
    const failing = `import gone\n${unittest("self.fail()")}`;
    const asserts = unittest('self.assertEqual("a", "b", "boom")');
    await bed.origin.commit({
      "core/src/core/more.py": "",
      "core/tests/test_a.py": failing,
      "core/tests/test_b.py": asserts,
    });
    await judge(
      "test",
      /^2 tests fail:\ntests\/test_a\.py: ModuleNotFoundError: No module named 'gone'\ntest_b\.T\.test_one: AssertionError: 'a' != 'b'/,
    );
  });
});

it("a module that asks for another Python than the machine has is outstanding (R11)", { timeout }, async () => {
  const files = { "src/core/__init__.py": "" };
  const bed = await createPythonBed(pythonModule("core", files, { more: 'requires-python = ">=3.99"' }));
  expect((await bed.build("core")).verdict).toMatchObject({
    verdict: "outstanding",
    class: "toolchain",
    message: expect.stringMatching(
      /requires a different Python.*3\.99.*\nThis machine builds with Python 3\.\d+\.\d+: install/s,
    ),
  });
});

describe("tests that nothing runs (R11)", () => {
  const plain = "def test_one():\n    assert False\n";

  it("are no tests that passed: the files are named, with what to do", { timeout: 2 * timeout }, async () => {
    const module = (files: Record<string, string>): Record<string, string> =>
      pythonModule("core", { "src/core/__init__.py": "", ...files });
    const bed = await createPythonBed(module({ "tests/test_a.py": plain }));
    expect((await bed.build("core")).verdict).toEqual({
      verdict: "unfit",
      stage: "test",
      message: expect.stringMatching(
        /^tests\/test_a\.py: this file holds no test that unittest runs: lock pytest, or make them methods/,
      ),
    });
    const skipped = `import unittest\nraise unittest.SkipTest("not here")\n`;
    await bed.origin.commit({ "core/tests/test_a.py": skipped });
    const built = await bed.build("core");
    expect(built).toMatchObject({ verdict: { verdict: "fit" }, findings: [] });
    await bed.origin.commit({ "core/tests/test_a.py": unittest('self.skipTest("not here")') });
    expect(await bed.build("core")).toMatchObject({ verdict: { verdict: "fit" }, findings: [] });
  });
});

describe("a hostile Python module (case 55)", () => {
  it(
    "phones home and writes outside while it is built, imported and tested: nothing comes of it",
    { timeout },
    async () => {
      const attempt = [
        "import socket, os",
        "def attempt():",
        "    for place in ('/build/module/x', '/build/lib/x', '/backend/x', '/etc/x', '/usr/x', '/build/tests.json'):",
        "        try:",
        "            open(place, 'a').close()",
        "        except OSError:",
        "            continue",
        "        raise SystemExit('wrote ' + place)",
        "    try:",
        "        socket.create_connection(('1.1.1.1', 443), timeout=3)",
        "    except OSError:",
        "        return",
        "    raise SystemExit('reached the network')",
        "",
      ].join("\n");
      const hook = `${attempt}\nfrom hatchling.builders.hooks.plugin.interface import BuildHookInterface\nclass Hook(BuildHookInterface):\n    def initialize(self, version, build_data):\n        attempt()\n        print("hook ran")\n`;
      const more = "[tool.hatch.build.hooks.custom]";
      const bed = await createPythonBed(
        pythonModule(
          "core",
          {
            "hatch_build.py": hook,
            "src/core/__init__.py": `${attempt}\nattempt()\n`,
            "tests/test_core.py": `import core\n${unittest("core.attempt()")}`,
          },
          { backend: pythonBackends.hatchling, more },
        ),
      );
      const built = await bed.build("core");
      expect(built.verdict.verdict).toBe("fit");
      expect(built.logTail).toContain("hook ran");
      await bed.origin.commit({ "core/tests/test_core.py": `import os\n${unittest("os._exit(0)")}` });
      expect((await bed.build("core")).verdict).toMatchObject({
        verdict: "unfit",
        stage: "test",
        message: expect.stringMatching(/ended before they were done/),
      });
    },
  );
});

it(
  "a test that prints more than is kept is judged by how it ended, and sets have one order",
  { timeout: 2 * timeout },
  async () => {
    const body =
      "import sys; [print('x' * 1000) for _ in range(5000)]; self.assertEqual(sys.flags.hash_randomization, 0)";
    const bed = await createPythonBed({ ...pythonCore, "core/tests/test_core.py": unittest(body) });
    const built = await bed.build("core");
    expect([built.verdict, built.findings]).toEqual([expect.objectContaining({ verdict: "fit" }), []]);
  },
);

/** A backend that changes each file of its wheel by an expression of `name` and `data`. */
function changedWheel(changed: string): Record<string, string> {
  const hook = `from hatchling.builders.hooks.plugin.interface import BuildHookInterface\nclass Hook(BuildHookInterface):\n    def finalize(self, version, build_data, path):\n        import zipfile\n        with zipfile.ZipFile(path) as old:\n            files = {name: old.read(name) for name in old.namelist()}\n        with zipfile.ZipFile(path, "w") as new:\n            for name, data in files.items():\n                new.writestr(name, ${changed})\n`;
  const more = "[tool.hatch.build.hooks.custom]";
  const files = { "hatch_build.py": hook, "src/core/__init__.py": "one = 1\n" };
  return pythonModule("core", files, { backend: pythonBackends.hatchling, more });
}

it("a wheel that is tagged with a path writes nothing there (case 49)", { timeout: 2 * timeout }, async () => {
  const outside = join(await createTemporaryFolder(), "evil");
  const tag = `b"Tag: py3-none-any/${"../".repeat(20)}${outside.slice(1)}"`;
  const bed = await createPythonBed(changedWheel(`data.replace(b"Tag: py3-none-any", ${tag})`));
  await bed.build("core");
  expect(existsSync(`${outside}.whl`)).toBe(false);
});

it(
  "a wheel that says more of itself than anybody reads is unfit, and is not read (case 49)",
  { timeout: 2 * timeout },
  async () => {
    const bed = await createPythonBed(changedWheel(`data + (b" " * 2000000 if name.endswith("METADATA") else b"")`));
    expect((await bed.build("core")).verdict).toMatchObject({
      verdict: "unfit",
      stage: "compile",
      message: expect.stringMatching(/\.dist-info\/METADATA of the wheel is larger than 1048576 bytes/),
    });
  },
);

it(
  "a test that fills its disk is outstanding, and one that only says so is unfit (R11)",
  { timeout: 2 * timeout },
  async () => {
    const fills = `import errno, os\nimport core\n${unittest('os.write(os.open("/tmp/x", os.O_CREAT | os.O_WRONLY), b"x" * 80000000) == 80000000 or self.fail("short")')}`;
    const limits = { ...sandboxLimits, diskBytes: 64 * 1024 ** 2 };
    const bed = await createPythonBed({ ...pythonCore, "core/tests/test_core.py": fills });
    expect((await bed.build("core", { limits })).verdict).toMatchObject({ verdict: "outstanding", class: "disk" });
    const says = `import errno, os\n${unittest("raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))")}`;
    await bed.origin.commit({ "core/tests/test_core.py": says });
    expect((await bed.build("core", { limits })).verdict).toMatchObject({
      verdict: "unfit",
      stage: "test",
      message: expect.stringMatching(/No space left on device/),
    });
  },
);

it(
  "a locked package that is other bytes than the lock says: both digests are named, and where (R11)",
  { timeout },
  async () => {
    const wanted = "a".repeat(64);
    const bed = await createPythonBed({
      ...pythonCore,
      "core/requirements.lock": `iniconfig==2.0.0 --hash=sha256:${wanted}\n`,
    });
    const { verdict } = await bed.build("core");
    expect(verdict).toMatchObject({ verdict: "outstanding", class: "registry" });
    const got = "b6a85871a79d2e3b22d2d1b94ac2824226a63c6b741c88f7ae975f18b6778374";
    for (const named of [wanted, got, "iniconfig==2.0.0", "iniconfig-2.0.0-py3-none-any.whl"])
      expect(verdict).toMatchObject({ message: expect.stringContaining(named) });
  },
);

it("a kept build backend that the disk changed is fetched again (R11)", { timeout: 2 * timeout }, async () => {
  const bed = await createPythonBed(pythonCore);
  const folder = await createTemporaryFolder();
  const folders = { work: join(folder, "work"), cache: join(folder, "cache") };
  const first = await bed.buildFit("core", { folders });
  const kept = (await listFiles(folders.cache)).find((path) => /^backends\/.*\/buildapi\.py$/.test(path)) ?? "";
  const text = await readFile(join(folders.cache, kept), "utf8");
  await writeFile(join(folders.cache, kept), `raise SystemExit(7)\n${text}`);
  expect(await bed.buildFit("core", { folders })).toEqual(first);
  expect(await readFile(join(folders.cache, kept), "utf8")).toBe(text);
});

it("a registry that answers 503 is outstanding, never unfit (R11, case 10)", { timeout }, async () => {
  const registry = createServer((_request, response) => response.writeHead(503).end("busy"));
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void registry.close());
  const address = registry.address() as AddressInfo;
  const bed = await createPythonBed({
    ...pythonCore,
    "core/requirements.lock": `left==1.0 --hash=sha256:${"a".repeat(64)}\n`,
  });
  const { verdict } = await bed.build("core", { registries: { pypi: `http://127.0.0.1:${address.port}/simple/` } });
  expect(verdict).toMatchObject({ verdict: "outstanding", class: "registry", message: expect.stringMatching(/503/) });
});
