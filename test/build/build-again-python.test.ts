import { describe, expect, it } from "vitest";
import { buildTwice } from "../support/build-twice.ts";
import { createPythonBed, dependOn, pythonBackends, pythonCore, pythonModule } from "../support/python-bed.ts";

const timeout = 600_000;
const page = pythonModule(
  "page",
  { "src/page/__init__.py": "from core import one\n", "src/page/b.py": "two = 2\n" },
  { dependencies: ["core"], more: '[project.scripts]\npage = "page:one"' },
);

describe("a second build of a Python module (R10)", () => {
  it.each(Object.entries(pythonBackends))("by %s gives the same", { timeout }, async (_, backend) => {
    const bed = await createPythonBed(pythonModule("core", { "src/core/__init__.py": "one = 1\n" }, { backend }));
    const { first, second } = await buildTwice(bed, "core");
    expect(second).toMatchObject({ kind: "compared", second: first.digest, files: [] });
  });

  it("gives the same with what it is built against and a launcher", { timeout }, async () => {
    const bed = await createPythonBed({ ...pythonCore, ...page });
    const dependencies = [dependOn("core", await bed.buildFit("core"))];
    const { first, second } = await buildTwice(bed, "page", { dependencies });
    expect(second).toMatchObject({ kind: "compared", second: first.digest, files: [] });
  });

  it("finds a build hook that writes down the clock, and names the file", { timeout }, async () => {
    const hook = `import time
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        with open("/tmp/stamp.txt", "w") as stamp:
            stamp.write(str(time.time_ns()))
        build_data["force_include"]["/tmp/stamp.txt"] = "core/stamp.txt"
`;
    const more = "[tool.hatch.build.hooks.custom]";
    const files = { "src/core/__init__.py": "one = 1\n", "hatch_build.py": hook };
    const bed = await createPythonBed(pythonModule("core", files, { backend: pythonBackends.hatchling, more }));
    const { second } = await buildTwice(bed, "core");
    expect(second).toMatchObject({
      kind: "compared",
      files: expect.arrayContaining([expect.stringMatching(/^lib\/core\/stamp\.txt: /)]),
    });
  });
});
