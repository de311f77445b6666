import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { KnownSource } from "../../src/core/known-source.ts";
import type { ObjectId } from "../../src/core/names.ts";
import { compareSources, type Comparison, headKey } from "../../src/source/compare-sources.ts";
import { createMemoryImportCache } from "../../src/source/imports/import-cache.ts";
import { openRepository } from "../../src/source/open-repository.ts";
import type { Repository } from "../../src/source/repository.ts";
import { createGitRepository, type GitRepository } from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const registered = ["app", "lib"].map((module) => ({ module, repository: `of-${module}`, branch: "main", path: "." }));
const manifest = (module: string): string => `module: ${module}\nlanguage: typescript\n`;
const packageJson = (name: string): string => JSON.stringify({ name, exports: "./src/index.js", type: "module" });

interface Bed {
  readonly origins: Readonly<Record<string, GitRepository>>;
  readonly compare: (
    known: ReadonlyMap<string, KnownSource>,
    away?: ReadonlyMap<string, string>,
  ) => Promise<Comparison>;
}

/** An app in one source that imports a library in another. */
async function createBed(): Promise<Bed> {
  const folder = await createTemporaryFolder();
  const origins: Record<string, GitRepository> = {};
  const repositories = new Map<string, Repository>();
  for (const { module, repository } of registered) {
    const origin = await createGitRepository();
    onTestFinished(() => origin.remove());
    origins[module] = origin;
    repositories.set(repository, await openRepository({ url: origin.dir, dir: join(folder, `${module}.git`) }));
    await origin.commit({
      "mesh.yaml": manifest(module),
      "package.json": packageJson(`@mesh/${module}`),
      "src/index.ts": module === "app" ? 'export { x } from "@mesh/lib";\n' : "export const x = 1;\n",
    });
  }
  return {
    origins,
    compare: async (known, away = new Map()) => {
      const heads = new Map<string, ObjectId | null>();
      for (const [name, repository] of repositories) {
        const head = headKey(name, "main");
        heads.set(head, away.has(head) ? null : ((await repository.lookAtHeads(["main"])).get("main") ?? null));
      }
      return compareSources({
        modules: registered,
        repositories,
        heads,
        known,
        away,
        cache: createMemoryImportCache(),
      });
    },
  };
}

const away = new Map([["of-lib#main", "503"]]);

it("what is known of a module whose source is away counts for those that do not move (R26)", async () => {
  const { compare } = await createBed();
  const { modules } = await compare(new Map());
  const known = new Map(modules.flatMap((one) => (one.known === null ? [] : [[one.module, one.known] as const])));
  expect([...known.keys()]).toEqual(["app", "lib"]);
  const again = await compare(known, away);
  expect(again.modules).toEqual([]);
  expect([...again.unread]).toEqual([["lib", "its source cannot be read: 503"]]);
}, 60_000);

it("an import of what is away is no import of nothing: of one that moved it cannot be told what it is built against", async () => {
  const { compare, origins } = await createBed();
  const { modules } = await compare(new Map());
  const known = new Map(modules.flatMap((one) => (one.known === null ? [] : [[one.module, one.known] as const])));
  await origins["app"]?.commit({ "src/more.ts": "export const y = 2;\n" });
  const again = await compare(known, away);
  expect(again.modules).toEqual([]);
  expect(again.unread.get("app")).toBe("what its import of lib leads to cannot be read: 503");
}, 60_000);

it("where a source was never read, an import that nobody publishes may be of it (R26)", async () => {
  const { compare } = await createBed();
  const seen = await compare(new Map(), away);
  expect(seen.modules).toEqual([]);
  expect(seen.unread.get("app")).toMatch(
    /imports @mesh\/lib, which no module publishes.*; that may be lib, whose source cannot be read: 503/s,
  );
  const whole = await compare(new Map());
  expect(whole.modules.map(({ module, problem }) => [module, problem])).toEqual([
    ["app", null],
    ["lib", null],
  ]);
}, 60_000);
