import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nestedPaths } from "../../src/source/nested-paths.ts";
import { readTree } from "../../src/source/read-tree.ts";
import type { Repository, TreeEntry } from "../../src/source/repository.ts";

const of = (module: string, path: string) => ({ module, repository: "code", branch: "main", path });
const root = of("root", ".");
const id = "0123456789012345678901234567890123456789";

/**
 * Each of these compared every folder with every other one. They are long enough for that to be a test that does not end,
 * and no clock is asked.
 */
describe("a module with tens of thousands of modules inside (case 54)", () => {
  it("knows the outermost of them", () => {
    const inside = Array.from({ length: 100_000 }, (_, at) => of(`m${at}`, `group${at % 7}/m${at}`));
    const deeper = inside.slice(0, 1_000).map(({ module, path }) => of(`${module}-in`, `${path}/in`));
    const found = nestedPaths(root, [root, ...deeper, ...inside]);
    expect(found).toEqual(inside.map(({ path }) => path).toSorted());
  }, 60_000);

  it("is read without what is theirs", async () => {
    const without = Array.from({ length: 50_000 }, (_, at) => `m${at}`);
    const blob = { mode: "100644", type: "blob", id, bytes: 1 } as const;
    async function* listTree(): AsyncGenerator<readonly TreeEntry[], void, undefined> {
      yield [{ ...blob, path: "a.txt" }];
      for (const path of without) {
        yield [{ mode: "040000", type: "tree", id, bytes: 0, path }];
        yield ["a", "b/c", "b/d"].map((name) => ({ ...blob, path: `${path}/${name}` }));
      }
      // Begins as one of them does, and is none.
      yield [{ ...blob, path: "m1.txt" }];
    }
    const repository = { url: "fake", treeAt: async () => id, listTree } as unknown as Repository;
    const reading = await readTree({ repository, commit: id, path: ".", without });
    expect(reading).toMatchObject({ kind: "tree", files: [{ path: "a.txt" }, { path: "m1.txt" }] });
  }, 60_000);
});

it("folders of other modules inside are the outermost ones, whatever their names are made of", () => {
  const segment = fc.constantFrom("a", "a-b", "a.b", "ab", "b", "a0");
  const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));
  fc.assert(
    fc.property(fc.array(path, { maxLength: 12 }), path, (paths, own) => {
      const others = paths.map((one, at) => of(`m${at}`, one));
      const inside = paths.flatMap((one) => (one.startsWith(`${own}/`) ? [one.slice(own.length + 1)] : []));
      const outermost = inside.filter((one) => !inside.some((outer) => one.startsWith(`${outer}/`)));
      expect(nestedPaths(of("own", own), others)).toEqual([...new Set(outermost)].toSorted());
    }),
  );
});
