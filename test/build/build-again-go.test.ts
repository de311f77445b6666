import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findGo } from "../../src/source/imports/go-toolchain.ts";
import { createBuildBed } from "../support/build-bed.ts";
import { buildTwice } from "../support/build-twice.ts";
import { goModule } from "../support/go-module.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const timeout = 600_000;
const cache = join(homedir(), ".cache", "mesh-delivery", "test-go");
const goOptions = async () =>
  ({ language: "go", folders: { work: join(await createTemporaryFolder(), "work"), cache } }) as const;

const core = goModule("core", { "core.go": `package core\n\nconst One = 1\n`, "b.go": "package core\n" });
const app = goModule("app", {
  "main.go": `package main\n\nimport "mesh.test/core"\n\nfunc main() { println(core.One) }\n`,
});

describe.runIf(findGo() !== null)("a second build of a Go module (R10)", () => {
  it("gives the same, a library and a program", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit({ ...core, ...app });
    const options = await goOptions();
    const library = await buildTwice(bed, "core", options);
    expect(library.second).toMatchObject({ kind: "compared", second: library.first.digest, files: [] });
    const dependencies = [{ module: "core", kind: "build" as const, artifact: library.first }];
    const program = await buildTwice(bed, "app", { ...options, dependencies });
    expect(program.second).toMatchObject({ kind: "compared", second: program.first.digest, files: [] });
  });

  it(
    "has no clock of the module in it: only tests run its code, and they reach nothing of it",
    { timeout },
    async () => {
      const bed = await createBuildBed();
      const places = [
        "core.go",
        "stamp.txt",
        "/build/go/bin/core",
        "/build/artifact/stamp.txt",
        "/build/go/cache/stamp",
      ];
      const test = `package core\n\nimport (\n\t"os"\n\t"testing"\n\t"time"\n)\n\nfunc TestStamp(t *testing.T) {\n\tfor _, path := range []string{${places.map((path) => `"${path}"`).join(", ")}} {\n\t\tos.WriteFile(path, []byte(time.Now().String()), 0o644)\n\t}\n}\n`;
      const generate = `package core\n\n//go:generate sh -c "date > stamp.txt"\nconst Two = 2\n`;
      await bed.origin.commit({ ...core, "core/stamp_test.go": test, "core/generate.go": generate });
      const { first, second } = await buildTwice(bed, "core", await goOptions());
      expect(second).toMatchObject({ kind: "compared", second: first.digest, files: [] });
    },
  );
});
