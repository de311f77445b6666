import fc from "fast-check";
import { expect, it } from "vitest";
import { createTreeObject } from "../../src/source/tree-object.ts";

/** Names whose bytes an id may hold, too. */
const anyName = fc.constantFrom("a", "b", "ab", "a b", "src", "package.json", "ü");
/** As git writes ids into trees: any bytes, so also those of an entry that is not there. */
const anyId = fc.oneof(
  fc.uint8Array({ minLength: 20, maxLength: 20 }),
  anyName.map((name) => {
    const bytes = new Uint8Array(20);
    bytes.set(Buffer.from(`40000 ${name}\0`).subarray(0, 20));
    return bytes;
  }),
);
const anyTree = fc.uniqueArray(fc.record({ name: anyName, isFolder: fc.boolean(), id: anyId }), {
  selector: ({ name }) => name,
});

it("an entry is found by its name alone, whatever bytes the ids hold", () => {
  fc.assert(
    fc.property(anyTree, (entries) => {
      const bytes = Buffer.concat(
        entries.flatMap(({ name, isFolder, id }) => [Buffer.from(`${isFolder ? "40000" : "100644"} ${name}\0`), id]),
      );
      const tree = createTreeObject("0".repeat(40), bytes);
      for (const name of ["a", "b", "ab", "a b", "b\0", "src", "package.json", "ü", "none", ""]) {
        const wanted = tree.entries().find((entry) => entry.name === name) ?? null;
        expect(tree.find(name)).toEqual(wanted);
      }
    }),
    { numRuns: 300 },
  );
});
