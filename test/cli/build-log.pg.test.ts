import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createLogFollower } from "../../src/cli/follow-build-log.ts";
import { meshPaths } from "../../src/cli/mesh-setup.ts";
import type { Digest } from "../../src/core/names.ts";
import { digestValue } from "../../src/decide/digest.ts";
import { appendBuildLog } from "../../src/store/build-log.ts";
import { claimBuild, recordVerdict } from "../../src/store/builds.ts";
import { addModules, mesh, treeOf } from "../store/open-records.ts";
import { type ArtifactBed, openArtifactBed } from "./artifact-bed.ts";

let bed: ArtifactBed;

beforeEach(async () => {
  bed = await openArtifactBed();
  await addModules(bed.records.db, "app", "core");
  return () => bed.close();
});

/** A build of the module is under way at these inputs. */
async function begin(module: string, what: string): Promise<Digest> {
  const closure = {
    module,
    language: "files",
    tree: treeOf(what),
    dependencies: {},
    toolchain: "none",
    builder: "files-1",
    thirdParties: null,
    settings: {},
  };
  const inputs = digestValue(closure);
  const claim = { module, inputs, closure, commit: treeOf(`commit ${what}`), claimant: "a test", staleMs: 60_000 };
  await claimBuild(bed.records.db, mesh, claim);
  return inputs;
}

/** It ended, unfit, and its whole log was kept. Answers where. */
async function endUnfit(module: string, inputs: Digest, log: string): Promise<string> {
  const kept = await bed.store.putBlob(
    (async function* whole() {
      yield Buffer.from(log);
    })(),
  );
  await recordVerdict(bed.records.db, mesh, {
    module,
    inputs,
    attempt: 1,
    verdict: { verdict: "unfit", stage: "test", message: "a test failed" },
    logTail: log.slice(-20),
    log: { blob: kept.digest, bytes: kept.bytes },
  });
  return join(meshPaths(bed.state).artifacts, "blobs", "sha256", kept.digest.slice("sha256:".length));
}

const append = (module: string, inputs: Digest, part: number, text: string): Promise<void> =>
  appendBuildLog(bed.records.db, mesh, { module, inputs, attempt: 1, part, text });

describe("the log of a build", () => {
  it("is the whole log of the newest one, or of the one at given inputs", async () => {
    const first = await begin("app", "first");
    await endUnfit("app", first, "--- compile\nthe first of many lines\n--- test\nnot ok 1\n");
    const second = await begin("app", "second");
    await endUnfit("app", second, "--- compile\nthe second\n");
    const newest = await bed.run("log", "app");
    expect(newest).toMatchObject({ code: 0, stdout: "--- compile\nthe second\n" });
    expect(newest.stderr).toMatch(/^app at [0-9a-f]{7}, inputs [0-9a-f]{7}: unfit, attempt 1\n$/);
    const older = await bed.run("log", "app", "--inputs", first.slice("sha256:".length, "sha256:".length + 8));
    expect(older.stdout).toBe("--- compile\nthe first of many lines\n--- test\nnot ok 1\n");
    expect(await bed.documentOf("log", "app", "--inputs", first)).toMatchObject({
      schema: "mesh.log.v1",
      module: "app",
      inputs: first,
      state: "unfit",
      attempt: 1,
      whole: true,
      text: "--- compile\nthe first of many lines\n--- test\nnot ok 1\n",
    });
  });

  it("is its end, and says so, when the whole one was collected or lost", async () => {
    const path = await endUnfit("app", await begin("app", "one"), "--- compile\nmuch\n--- test\nnot ok 1\n");
    await rm(path);
    const ran = await bed.run("log", "app");
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain("only the end of its log");
    expect(ran.stdout).toBe("h\n--- test\nnot ok 1\n");
    expect(await bed.documentOf("log", "app")).toMatchObject({ whole: false });
  });

  it("is what was printed so far while it runs; when that is nothing, this is said", async () => {
    const inputs = await begin("app", "one");
    const silent = await bed.run("log", "app");
    expect(silent).toMatchObject({ code: 0, stdout: "" });
    expect(silent.stderr).toContain("building, attempt 1; it has printed nothing so far");
    await append("app", inputs, 1, "--- fetch\n");
    await append("core", await begin("core", "other"), 1, "not of app\n");
    await append("app", inputs, 2, "--- compile\n");
    const ran = await bed.run("log", "app");
    expect(ran.stdout).toBe("--- fetch\n--- compile\n");
    expect(ran.stderr).toContain("only the end of its log");
  });

  it("cannot act upon a terminal (case 52)", async () => {
    await endUnfit(
      "app",
      await begin("app", "one"),
      "red \u001b[31mtext\u001b[0m and \u001b]0;a title\u0007 \u202eback\n",
    );
    const { stdout } = await bed.run("log", "app");
    expect(stdout).toContain("red text and");
    expect(stdout).not.toMatch(/[\u001b\u0007\u202e]/u);
  });

  it.each([
    ["an unknown module", ["log", "gone"], /there is no module gone.*mesh module list/s],
    ["a module without a build", ["log", "app"], /there is no build of app/],
    ["inputs that no build has", ["log", "core", "--inputs", "0000"], /there is no build of core at such inputs/],
    ["inputs that are too short to mean one", ["log", "core", "--inputs", "12"], /at least 4 digits/],
    ["inputs that are no digest", ["log", "core", "--inputs", "../../x"], /the beginning of a digest/],
    ["a name that is none", ["log", "../app"], /module/],
  ])("of %s is refused, with what to do", async (_what, words, expected) => {
    await begin("core", "one");
    const ran = await bed.run(...words);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(expected);
    expect(ran.stdout).toBe("");
  });
});

describe("what builds print, followed", () => {
  const collect = async (json: boolean, modules: readonly string[]) => {
    const written = { stdout: "", stderr: "" };
    const stream = (name: "stdout" | "stderr") => ({
      isTerminal: false,
      write: (text: string): void => void (written[name] += text),
    });
    const context = { stdout: stream("stdout"), stderr: stream("stderr") };
    const call = { context, options: { json } } as unknown as Parameters<typeof createLogFollower>[0];
    const from = new Date(Date.now() - 60_000).toISOString();
    return { written, follow: createLogFollower(call, await bed.connect(), { modules, from }) };
  };

  it("comes line by line behind its module, each once, however often it is asked", async () => {
    const { written, follow } = await collect(false, []);
    const [app, core] = [await begin("app", "one"), await begin("core", "one")];
    await follow();
    expect(written.stderr).toBe("");
    await append("app", app, 1, "--- compile\nsrc/a.ts\n");
    await follow();
    await follow();
    expect(written.stderr).toBe("  app | --- compile\n  app | src/a.ts\n");
    await append("core", core, 1, "of core\n");
    await append("app", app, 2, "--- test\n");
    await follow();
    await follow();
    expect(written.stderr.split("\n").slice(2)).toEqual(["  core | of core", "  app | --- test", ""]);
    expect(written.stdout).toBe("");
  });

  it("is of the modules that were named, and one document a part under --json", async () => {
    const { written, follow } = await collect(true, ["app"]);
    await append("core", await begin("core", "one"), 1, "of core\n");
    await append("app", await begin("app", "one"), 1, "of app\n");
    await follow();
    expect(written.stderr).toBe("");
    const documents = written.stdout
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(documents).toMatchObject([
      { schema: "mesh.build-log.v1", module: "app", attempt: 1, part: 1, text: "of app\n" },
    ]);
  });
});
