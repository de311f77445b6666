import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { compareSources, headKey } from "../../src/source/compare-sources.ts";
import { createMemoryImportCache } from "../../src/source/imports/import-cache.ts";
import { openRepository } from "../../src/source/open-repository.ts";
import { readTree } from "../../src/source/read-tree.ts";
import type { SourceFacts } from "../../src/source/source-facts.ts";
import { typescriptModule } from "../support/build-bed.ts";
import { createGitRepository, type GitRepository } from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

interface Bed {
  readonly origin: GitRepository;
  facts(commit: string): Promise<SourceFacts>;
}

async function createBed(): Promise<Bed> {
  const origin = await createGitRepository();
  onTestFinished(() => origin.remove());
  const repository = await openRepository({ url: origin.dir, dir: join(await createTemporaryFolder(), "clone.git") });
  const cache = createMemoryImportCache();
  return {
    origin,
    facts: async (commit) => {
      const { modules } = await compareSources({
        modules: [{ module: "app", repository: "code", branch: "main", path: "app" }],
        repositories: new Map([["code", repository]]),
        heads: new Map([[headKey("code", "main"), commit]]),
        cache,
      });
      const [app] = modules;
      if (app === undefined) throw new Error("one module gives one row of facts");
      return app;
    },
  };
}

function lockOf(version: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: "app",
    lockfileVersion: 3,
    packages: {
      "": { name: "app", dependencies: { tiny: "^1.0.0" } },
      "node_modules/tiny": { version, integrity: `sha512-${version}`, ...more },
    },
  };
}

const app = typescriptModule("app", { "src/index.ts": "export const one = 1;\n" });
const packageJson = JSON.stringify({ name: "@test/app", type: "module", dependencies: { tiny: "^1.0.0" } });

describe("a lock file in a closure (R8)", () => {
  it("is what it resolves: written in another way it changes nothing", async () => {
    const bed = await createBed();
    const files = { ...app, "app/package.json": packageJson };
    const one = await bed.origin.commit({ ...files, "app/package-lock.json": JSON.stringify(lockOf("1.0.0")) });
    const two = await bed.origin.commit({
      "app/package-lock.json": JSON.stringify(lockOf("1.0.0", { resolved: "https://mirror.test/tiny.tgz" }), null, 8),
    });
    const three = await bed.origin.commit({ "app/package-lock.json": JSON.stringify(lockOf("1.0.1")) });
    const [first, second, third] = [await bed.facts(one), await bed.facts(two), await bed.facts(three)];
    expect(first.thirdParties).toMatch(/^sha256:/);
    expect({ tree: second.tree, thirdParties: second.thirdParties }).toEqual({
      tree: first.tree,
      thirdParties: first.thirdParties,
    });
    expect(third.tree).toBe(first.tree);
    expect(third.thirdParties).not.toBe(first.thirdParties);
    expect([first.problem, second.problem, third.problem]).toEqual([null, null, null]);
  });

  it("is a problem of its module when it cannot be read, said once, with its file", async () => {
    const bed = await createBed();
    const commit = await bed.origin.commit({
      ...app,
      "app/package.json": packageJson,
      "app/package-lock.json": "<<<<<<< ours",
    });
    const facts = await bed.facts(commit);
    expect(facts.problem).toEqual({
      stage: "import",
      message: "package-lock.json: is not JSON that can be used",
    });
    expect(facts.findings.filter((finding) => finding.file === "package-lock.json")).toHaveLength(1);
  });

  it("of a workspace counts for a member by what the member needs of it", async () => {
    const bed = await createBed();
    const lock = (mine: string, others: string): string => {
      const version = (one: string): object => ({ version: one, integrity: `sha512-${one}` });
      const packages = { app: {}, "node_modules/tiny": version(mine), "node_modules/big": version(others) };
      return JSON.stringify({ lockfileVersion: 3, packages });
    };
    const files = { ...app, "app/package.json": packageJson };
    const one = await bed.origin.commit({ ...files, "package-lock.json": lock("1.0.0", "1.0.0") });
    const two = await bed.origin.commit({ "package-lock.json": lock("1.0.0", "2.0.0") });
    const three = await bed.origin.commit({ "package-lock.json": lock("1.0.1", "2.0.0") });
    const own = await bed.origin.commit({ "app/package-lock.json": JSON.stringify(lockOf("1.0.0")) });
    const facts = await Promise.all([one, two, three, own].map((commit) => bed.facts(commit)));
    expect(facts.map(({ problem }) => problem)).toEqual([null, null, null, null]);
    const [first, second, third, fourth] = facts.map(({ thirdParties }) => thirdParties);
    expect(first).toMatch(/^sha256:/);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    // Its own goes before that of the workspace, which has 1.0.1.
    expect(fourth).toBe(first);
  });

  it("of a workspace that cannot be read is said by the members that need it, with the way to it", async () => {
    const bed = await createBed();
    const files = { ...app, "app/package.json": packageJson, "package-lock.json": "<<<<<<< ours" };
    const { problem, findings } = await bed.facts(await bed.origin.commit(files));
    expect(problem).toEqual({ stage: "import", message: "../package-lock.json: is not JSON that can be used" });
    expect(findings.filter(({ file }) => file.endsWith("package-lock.json"))).toHaveLength(1);
  });

  it("of another name is a file like any other", async () => {
    const bed = await createBed();
    const one = await bed.facts(await bed.origin.commit({ ...app, "app/Cargo.lock": "1" }));
    const two = await bed.facts(await bed.origin.commit({ "app/Cargo.lock": "2" }));
    expect(one.tree).not.toBe(two.tree);
    expect(one.thirdParties).toBeNull();
  });
});

describe("the tree of a module without what is not its own", () => {
  it("has the id that git gives to it, with folders and files taken out at any depth", async () => {
    const bed = await createBed();
    const whole = {
      "app/a.txt": "1",
      "app/a/deep/b.txt": "2",
      "app/a-b/c.txt": "3",
      "app/libs/core/d.txt": "4",
      "app/libs/e.txt": "5",
      "app/lock.txt": "6",
    };
    const commit = await bed.origin.commit(whole);
    await bed.origin.makeExecutable("app/a.txt");
    const executable = await bed.origin.commit({});
    const repository = await openRepository({ url: bed.origin.dir, dir: join(await createTemporaryFolder(), "c.git") });
    await repository.fetchCommits([{ branch: "main", commit: executable }]);
    const read = async (without: readonly string[]) => {
      const reading = await readTree({ repository, commit: executable, path: "app", without });
      if (reading.kind !== "tree") throw new Error(reading.why);
      return reading;
    };
    const all = await read([]);
    expect(all.tree).toBe(await bed.origin.git("rev-parse", `${executable}:app`));
    expect(all.treeWithoutFiles(["gone.txt"])).toBe(all.tree);
    const reading = await read(["libs/core", "a/deep"]);
    await bed.origin.git("rm", "-r", "--quiet", "app/libs/core", "app/lock.txt");
    await bed.origin.git("commit", "--quiet", "--message=Take it out");
    const without = await read(["libs/core"]);
    expect(without.treeWithoutFiles(["lock.txt"])).toBe(await bed.origin.git("rev-parse", "HEAD:app"));
    expect(reading.files.map((file) => file.path)).toEqual(["a-b/c.txt", "a.txt", "libs/e.txt", "lock.txt"]);
    expect(commit).not.toBe(executable);
  });
});
