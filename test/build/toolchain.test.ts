import { rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createGoBuilder } from "../../src/build/builders/go.ts";
import { createToolchainWatch } from "../../src/build/toolchain.ts";
import { findGo, findGoIn } from "../../src/source/imports/go-toolchain.ts";
import { createBuildBed } from "../support/build-bed.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const go = findGo();

describe("what a controller builds with, while it runs (R8)", () => {
  it.runIf(go !== null)("is another as soon as Go is there, and again when it is gone", async () => {
    const folder = await createTemporaryFolder();
    const builder = createGoBuilder(() => findGoIn([folder]));
    expect(builder.describeToolchain()).toMatchObject({ kind: "absent", next: expect.stringMatching(/install/) });
    await symlink(go?.program ?? "", join(folder, "go"));
    expect(builder.describeToolchain()).toMatchObject({ kind: "present", text: expect.stringContaining("go 1.") });
    await rm(join(folder, "go"));
    expect(builder.describeToolchain().kind).toBe("absent");
  });

  it("is looked at a few times a minute, however often it is asked for", () => {
    let [nowMs, looks] = [0, 0];
    const describeNow = createToolchainWatch(
      () => nowMs,
      () => ({ go: `look ${(looks += 1)}` }),
    );
    const said = [0, 1, 4_999, 5_000, 5_001, 60_000].map((atMs) => {
      nowMs = atMs;
      return describeNow()["go"];
    });
    expect(said).toEqual(["look 1", "look 1", "look 1", "look 2", "look 2", "look 3"]);
  });
});

describe("a build that was planned with another toolchain than this machine has by now", () => {
  it("is outstanding, for a verdict would be kept for the wrong inputs (R8, R11)", async () => {
    const bed = await createBuildBed();
    await bed.origin.commit({ "app/mesh.yaml": "module: app\nlanguage: files\n", "app/a.txt": "a" });
    const { verdict, artifact } = await bed.build("app", { language: "files", toolchain: "another" });
    expect(artifact).toBeNull();
    expect(verdict).toMatchObject({ verdict: "outstanding", class: "toolchain" });
    expect(verdict).toMatchObject({
      message: "this machine has none, and the build was planned with another: it is planned again",
    });
  });
});
