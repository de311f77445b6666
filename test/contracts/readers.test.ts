import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { listFiles, readText } from "../tidy/repository.ts";
import { described, renderContracts } from "./described.ts";
import { findReaderGaps, readers } from "./readers.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = readText(root);
const sources = new Map(
  listFiles(root)
    .filter((path) => path.startsWith("src/") && path.endsWith(".ts"))
    .map((path) => [path, read(path)] as const),
);

it("every file of src that reads something says what, and where that is tried (R42)", () => {
  expect(findReaderGaps(sources)).toEqual({ unlisted: [], stray: [] });
  for (const { tested } of readers) expect([tested, existsSync(`${root}${tested}`)]).toEqual([tested, true]);
});

it.each([
  `import { z } from "zod";`,
  `export const f = (t: string) => JSON.parse(t);`,
  `export const f = (v: unknown) => digestSchema.parse(v);`,
  `export const f = (v: unknown) => reading.safeParse(v);`,
])("a file that begins to read is noticed: %s", (text) => {
  const planted = new Map([...sources, ["src/worker/planted.ts", text] as const]);
  expect(findReaderGaps(planted).unlisted).toEqual(["src/worker/planted.ts"]);
});

it("a row of a file that reads nothing any more is noticed", () => {
  const planted = new Map([...sources, ["src/link/root.ts", "export {};"] as const]);
  expect(findReaderGaps(planted).stray).toEqual(["src/link/root.ts"]);
});

it.each(described)("$kind: who is said to make and to read it is there", ({ kind, producer, consumer }) => {
  const files = [producer, consumer].filter((one) => one.startsWith("src/"));
  expect([kind, files.filter((file) => !sources.has(file))]).toEqual([kind, []]);
});

/** Where it fails: `npx tsx test/contracts/write-docs.ts`. */
it("docs/contracts.md has the table as the code has it", async () => {
  expect(await readFile(`${root}docs/contracts.md`, "utf8")).toContain(renderContracts());
});
