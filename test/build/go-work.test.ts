import { expect, it } from "vitest";
import { findGo } from "../../src/source/imports/go-toolchain.ts";
import { createBuildBed } from "../support/build-bed.ts";
import { goModule, goOptions } from "../support/go-module.ts";

it.runIf(findGo() !== null)(
  "a go.work above a Go module, or in it, counts for nothing: what it would bring is not the closure's (R8)",
  { timeout: 600_000 },
  async () => {
    const bed = await createBuildBed();
    const core = goModule("core", { "core.go": `package core\n\nconst One = "1"\n` });
    // Both would stop any Go that heeded them: the first names a folder that is not there, the second is no go.work.
    const works = { "go.work": "go 1.21\n\nuse ./nowhere\n", "core/go.work": "this is no go.work\n" };
    await bed.origin.commit(core);
    const alone = await bed.buildFit("core", await goOptions({}));
    await bed.origin.commit({ ...core, "go.work": works["go.work"] });
    expect((await bed.buildFit("core", await goOptions({}))).digest).toBe(alone.digest);
    await bed.origin.commit({ ...core, ...works });
    expect((await bed.build("core", await goOptions({}))).verdict.verdict).toBe("fit");
  },
);
