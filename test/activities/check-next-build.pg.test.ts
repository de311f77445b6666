import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkNextBuild, type CheckDependencies } from "../../src/activities/check-next-build.ts";
import { createRepositoryPool } from "../../src/activities/repository-pool.ts";
import { openArtifactStore } from "../../src/build/artifact-store.ts";
import { packFolder } from "../../src/build/pack.ts";
import { type Sandbox, sandboxLimits, type SandboxRun } from "../../src/build/sandbox.ts";
import { describeBuilder, describeToolchain } from "../../src/build/toolchain.ts";
import type { Closure } from "../../src/core/artifact.ts";
import type { Language } from "../../src/core/manifest.ts";
import type { Digest } from "../../src/core/names.ts";
import { digestValue } from "../../src/decide/digest.ts";
import { type ClosureSource, readClosureSourceOf } from "../../src/source/closure-source.ts";
import { createImportReaders } from "../../src/source/compare-sources.ts";
import { openRepository } from "../../src/source/open-repository.ts";
import { readTree } from "../../src/source/read-tree.ts";
import { listDoubts } from "../../src/store/artifact-doubts.ts";
import { getArtifact, putArtifact } from "../../src/store/artifacts.ts";
import { addBuildCheck, askBuildCheck, hasBuildCheck } from "../../src/store/build-check-queue.ts";
import { listBuildChecks } from "../../src/store/build-checks.ts";
import { claimBuild, getBuild, recordVerdict } from "../../src/store/builds.ts";
import { listConditions, observeCondition } from "../../src/store/conditions.ts";
import type { Database } from "../../src/store/database.ts";
import { replaceEdges } from "../../src/store/edges.ts";
import { addModule } from "../../src/store/modules.ts";
import { addRepository } from "../../src/store/repositories.ts";
import { createGitRepository, type GitRepository } from "../support/git-repository.ts";
import { manifestOf, mesh, openRecords, type Records } from "../store/open-records.ts";

let records: Records;
let origin: GitRepository;
let folder: string;
let deps: CheckDependencies;

const noSandbox: Sandbox = { promises: [], run: async () => ({ kind: "unavailable", why: "not here", log: "" }) };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mesh-check-"));
  records = await openRecords();
  origin = await createGitRepository();
  await addRepository(records.db, mesh, { name: "source", url: `file://${origin.dir}` });
  deps = {
    db: records.db,
    mesh,
    repositories: createRepositoryPool(join(folder, "repositories")),
    artifacts: await openArtifactStore(join(folder, "artifacts")),
    sandboxFor: () => noSandbox,
    folders: { work: join(folder, "work"), cache: join(folder, "cache") },
    registries: {},
    limits: {},
    describeToolchains: () => ({
      files: describeToolchain("files"),
      typescript: describeToolchain("typescript"),
    }),
    builders: { files: describeBuilder("files"), typescript: describeBuilder("typescript") },
    lostAfterMs: 60_000,
    signal: new AbortController().signal,
  };
});

afterEach(async () => {
  await records.close();
  await origin.remove();
  await rm(folder, { recursive: true, force: true });
});

/** A module of files at its commit, fit with what its first build is said to have given. */
function firstBuild(text: string, gave: string): Promise<Digest> {
  return firstBuildOf("files", { "a.txt": text }, gave);
}

/** What a comparison reads of it for its closure. */
async function readSource(commit: string, language: Language): Promise<ClosureSource> {
  const repository = await openRepository({ url: origin.dir, dir: await mkdtemp(join(folder, "clone-")) });
  await repository.fetchCommits([{ branch: "main", commit }]);
  const reading = await readTree({ repository, commit, path: "core", without: [] });
  if (reading.kind !== "tree") throw new Error(reading.why);
  return readClosureSourceOf(repository, { commit, path: "core" }, reading, createImportReaders().get(language));
}

async function firstBuildOf(language: Language, files: Record<string, string>, gave: string): Promise<Digest> {
  const all = Object.entries({ ...files, "mesh.yaml": `module: core\nlanguage: ${language}\n` });
  const commit = await origin.commit(Object.fromEntries(all.map(([path, text]) => [`core/${path}`, text])));
  await addModule(records.db, mesh, { name: "core", repository: "source", branch: "main", path: "core" });
  const { tree, thirdParties } = await readSource(commit, language);
  await records.db.query(`update module set tree = $1, third_parties = $2, source_commit = $3 where name = 'core'`, [
    tree,
    thirdParties,
    commit,
  ]);
  const output = await mkdtemp(join(folder, "output-"));
  await writeFile(join(output, "mesh.yaml"), "module: core\nlanguage: files\n");
  await writeFile(join(output, "a.txt"), gave);
  const artifact = { module: "core", ...(await packFolder({ folder: output, store: deps.artifacts })) };
  await putArtifact(records.db, mesh, artifact, manifestOf("core"));
  const closure: Closure = {
    module: "core",
    language,
    tree,
    dependencies: {},
    toolchain: describeToolchain(language),
    builder: describeBuilder(language),
    thirdParties,
    settings: {},
  };
  const inputs = digestValue(closure);
  await claimBuild(records.db, mesh, { module: "core", inputs, closure, commit, claimant: "x", staleMs: 60_000 });
  const verdict = { verdict: "fit" as const, artifact: artifact.digest };
  await recordVerdict(records.db, mesh, { module: "core", inputs, attempt: 1, verdict, logTail: "", findings: [] });
  await addBuildCheck(records.db, mesh, { module: "core", inputs, artifact: artifact.digest, why: "a test", inMs: 0 });
  return inputs;
}

const codes = async (): Promise<string[]> => (await listConditions(records.db, mesh)).map((one) => one.code);

describe("a second build that is due", () => {
  it("of what is the same is kept as such, once, and leaves nothing to do", async () => {
    await firstBuild("one", "one");
    expect(await checkNextBuild(deps)).toBe("same");
    expect(await listBuildChecks(records.db, mesh)).toMatchObject([{ state: "same", files: [], failure: null }]);
    expect(await codes()).toEqual([]);
    expect(await checkNextBuild(deps)).toBe("none");
    expect(await hasBuildCheck(records.db, mesh, "core")).toBe(true);
  });

  it("of what differs is a label with the files and a beginning; the verdict stands, and a later same one ends it", async () => {
    await firstBuild("one", "one at 12:00:01");
    expect(await checkNextBuild(deps)).toBe("differs");
    expect(await listBuildChecks(records.db, mesh)).toMatchObject([
      { state: "differs", files: [expect.stringMatching(/^a\.txt: /)] },
    ]);
    const [condition] = await listConditions(records.db, mesh);
    expect(condition).toMatchObject({ code: "not-reproducible", subject: "core", count: 1, urgent: false });
    expect(condition?.message).toMatch(/core is not reproducible: .* a\.txt: /);
    const { rows } = await records.db.query(`select state from build`);
    expect(rows).toEqual([{ state: "fit" }]);
    expect(await checkNextBuild(deps)).toBe("none");
    await firstBuild("two", "two");
    expect(await checkNextBuild(deps)).toBe("same");
    expect(await codes()).toEqual([]);
  });

  it("has the registries and limits that the first build has (R10, R33)", async () => {
    const used: SandboxRun[] = [];
    const sandbox: Sandbox = {
      promises: [],
      run: async (run) => {
        used.push(run);
        return { kind: "unavailable", why: "not here", log: "" };
      },
    };
    const [registry, integrity] = ["http://127.0.0.1:9/npm/", `sha512-${Buffer.alloc(64, 1).toString("base64")}`];
    const own = { name: "@demo/core", version: "1.0.0", dependencies: { third: "1.0.0" } };
    const third = { version: "1.0.0", resolved: `${registry}third/-/third-1.0.0.tgz`, integrity };
    const lock = { ...own, lockfileVersion: 3, packages: { "": own, "node_modules/third": third } };
    const files = {
      "package.json": JSON.stringify(own),
      "package-lock.json": JSON.stringify(lock),
      "src/index.ts": "export const one = 1;\n",
    };
    await firstBuildOf("typescript", files, "one");
    const limits = { wallMs: 77_000, memoryBytes: 123_000_000 };
    const asSet = { registries: { npm: registry }, limits, sandboxFor: () => sandbox };
    expect(await checkNextBuild({ ...deps, ...asSet })).toBe("failed");
    const [check] = await listBuildChecks(records.db, mesh);
    expect(check?.failure).toContain("not here");
    expect(used.map(({ limits: had }) => had)).toEqual([{ ...sandboxLimits, ...limits }]);
    expect(used[0]?.command).toContain(`--registry=${registry}`);
  });

  it("waits while any module is being built, and until it is due, by no time of a clock that was set back since (R33)", async () => {
    await firstBuild("one", "one");
    await records.db.query(`update build set state = 'building'`);
    expect(await checkNextBuild(deps)).toBe("none");
    // Begun long ago, and heard of a moment ago: it is not lost.
    await records.db.query(`update build set started_at = now() - interval '1 hour', seen_at = now()`);
    expect(await checkNextBuild(deps)).toBe("none");
    await records.db.query(`update build set seen_at = now() + interval '5 hours'`);
    await records.db.query(`update build_check set next_try_at = now() + interval '1 minute'`);
    expect(await checkNextBuild(deps)).toBe("none");
    await records.db.query(`update build_check set next_try_at = now() + interval '7 hours'`);
    expect(await checkNextBuild(deps)).toBe("same");
  });

  it("is made at the newest commit that has its source: that of the first build may be gone by now (R10, case 4)", async () => {
    await firstBuild("one", "one");
    await origin.git("commit", "--amend", "--quiet", "--message=The same, said otherwise");
    await origin.git("reflog", "expire", "--expire=now", "--all");
    await origin.git("gc", "--quiet", "--prune=now");
    await records.db.query(`update module set source_commit = $1`, [await origin.git("rev-parse", "HEAD")]);
    expect(await checkNextBuild(deps)).toBe("same");
  });

  it("of a source or a tool that moved on is dropped: it would be of something else", async () => {
    await firstBuild("one", "one");
    await records.db.query(`update module set tree = $1`, ["0".repeat(40)]);
    expect(await checkNextBuild(deps)).toBe("dropped");
    // A lock file above its folder, too.
    await firstBuild("one, again", "one, again");
    await records.db.query(`update module set third_parties = $1`, [digestValue("other packages")]);
    expect(await checkNextBuild(deps)).toBe("dropped");
    await firstBuild("two", "two");
    expect(await checkNextBuild({ ...deps, describeToolchains: () => ({ files: "another" }) })).toBe("dropped");
    expect(await listBuildChecks(records.db, mesh)).toEqual([]);
  });

  it("that cannot run is said, tried later, and after three times a condition; nothing else changes (R11, R33)", async () => {
    const inputs = await firstBuild("one", "one");
    await origin.remove();
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      expect(await checkNextBuild(deps)).toBe("failed");
      const [check] = await listBuildChecks(records.db, mesh);
      expect(check).toMatchObject({ state: "due", attempts: attempt, failure: expect.stringMatching(/./) });
      expect(await checkNextBuild(deps)).toBe("none");
      expect(await codes()).toEqual(attempt < 3 ? [] : ["second-build-failing"]);
      await records.db.query(`update build_check set next_try_at = now() where inputs = $1`, [inputs]);
    }
    const { rows } = await records.db.query(`select state from build`);
    expect(rows).toEqual([{ state: "fit" }]);
    // The source moves on: nothing is tried any more, and nothing is said of it.
    await records.db.query(`update module set tree = $1`, ["0".repeat(40)]);
    expect(await checkNextBuild(deps)).toBe("dropped");
    expect(await codes()).toEqual([]);
  });

  it("of an artifact that is lost is dropped with what was said of it: it is looked at, and built again (R33)", async () => {
    const inputs = await firstBuild("one", "one");
    const said = { message: "m", remedy: "r", urgent: false } as const;
    await observeCondition(records.db, mesh, { ...said, code: "second-build-failing", subject: "core" });
    const first = await getBuild(records.db, mesh, "core", inputs);
    const record = await getArtifact(records.db, mesh, "core", first?.artifact ?? "");
    await rm(join(folder, "artifacts", "blobs", "sha256", record?.artifact.blob.slice("sha256:".length) ?? ""));
    expect(await checkNextBuild(deps)).toBe("dropped");
    expect(await codes()).toEqual([]);
    expect(await listDoubts(records.db, mesh)).toMatchObject([{ module: "core", askedBy: "build" }]);
  });

  it("that runs while somebody asks for another closes its own request only: the later one is run too (R7)", async () => {
    const inputs = await firstBuild("one", "one");
    const [asked] = await listBuildChecks(records.db, mesh);
    const { repositories } = deps;
    const whileItRuns = (then: "goes on" | "fails"): CheckDependencies => ({
      ...deps,
      repositories: {
        open: async (repository) => {
          await askBuildCheck(records.db, mesh, { module: "core", inputs, artifact: asked?.artifact ?? "", why: then });
          if (then === "fails") throw new Error("the clone is gone");
          return repositories.open(repository);
        },
      },
    });
    const hasBlob = (): Promise<boolean> =>
      askBuildCheck(records.db, mesh, { module: "core", inputs, artifact: asked?.artifact ?? "", why: "lost" }).then(
        () => false,
      );
    expect(await checkNextBuild({ ...deps, artifacts: { ...deps.artifacts, hasBlob } })).toBe("asked-again");
    for (const then of ["goes on", "fails"] as const) {
      expect(await checkNextBuild(whileItRuns(then))).toBe("asked-again");
      const due = { state: "due", attempts: 0, failure: null, why: then };
      expect(await listBuildChecks(records.db, mesh)).toMatchObject([due]);
    }
    expect(await checkNextBuild(deps)).toBe("same");
    expect(await checkNextBuild(deps)).toBe("none");
  });

  it("reads no row of the other modules when their second builds come one after the other (R10)", async () => {
    let rows = 0;
    const db: Database = {
      ...records.db,
      query: async (sql, values) => {
        const answer = await records.db.query(sql, values);
        rows += answer.rows.length;
        return answer;
      },
    };
    const names = Array.from({ length: 200 }, (_, at) => `m${String(at).padStart(3, "0")}`);
    for (const name of names)
      await addModule(records.db, mesh, { name, repository: "source", branch: name, path: "." });
    const edges = names.slice(1).map((module) => ({
      module,
      edges: [{ dependency: "m000", kind: "build" as const, file: "index.ts", line: 1 }],
    }));
    await replaceEdges(records.db, mesh, edges);
    for (const text of ["one", "two", "three"]) {
      await firstBuild(text, text);
      rows = 0;
      expect(await checkNextBuild({ ...deps, db })).toBe("same");
    }
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThan(50);
  });

  it("is taken by one of many that ask at the same moment", async () => {
    await firstBuild("one", "one");
    const results = await Promise.all(Array.from({ length: 6 }, () => checkNextBuild(deps)));
    expect(results.filter((result) => result !== "none")).toEqual(["same"]);
  });
});
