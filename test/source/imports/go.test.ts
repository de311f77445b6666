import { execFile } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createGoReader, readByTool } from "../../../src/source/imports/go.ts";
import { readGoByGrammar } from "../../../src/source/imports/go-grammar.ts";
import { type GoRaw, toFileImports } from "../../../src/source/imports/go-raw.ts";
import { buildGoTool, readByGoTool } from "../../../src/source/imports/go-tool.ts";
import { findGo, findGoIn } from "../../../src/source/imports/go-toolchain.ts";
import { goStandardPackages } from "../../../src/source/imports/go-standard-packages.ts";
import type { FileImports } from "../../../src/source/imports/import-reader.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { type GoRow, goRows } from "./go-rows.ts";

const timeout = 120_000;
const go = findGo();

type Read = (text: string) => Promise<GoRaw>;

const readByGo: Read = async (text) => {
  if (go === null) throw new Error("there is no Go here");
  const reading = await readByGoTool(await buildGoTool(go), [text]);
  if (reading.kind === "failed") throw new Error(reading.why);
  return reading.files[0] as GoRaw;
};

const readers: readonly (readonly [string, Read])[] = [
  ...(go === null ? [] : [["Go's own parser", readByGo] as const]),
  ["the grammar", readGoByGrammar],
];

function describeReading({ imports, findings }: FileImports): Pick<GoRow, "imports" | "findings"> {
  return {
    imports: imports.map(({ specifier, kind, line }) => `${specifier} ${kind} ${line}`),
    findings: findings.map(({ severity, line }) => `${severity} ${line}`),
  };
}

async function isRight(read: Read, row: GoRow): Promise<boolean> {
  const found = describeReading(toFileImports(await read(row.text)));
  const want = { imports: row.imports, findings: row.findings ?? [] };
  return JSON.stringify(found) === JSON.stringify(want);
}

describe.each(readers)("imports read by %s (case 13)", (_, read) => {
  it.each(goRows.map((row) => [row.situation, row] as const))("%s", { timeout }, async (_situation, row) => {
    const found = describeReading(toFileImports(await read(row.text)));
    expect(found).toEqual({ imports: row.imports, findings: row.findings ?? [] });
  });

  const kinds: readonly (readonly [string, (raw: GoRaw, text: string) => GoRaw])[] = [
    ["plain", (raw) => ({ ...raw, imports: raw.imports.filter(({ name }) => name !== "") })],
    ["named", (raw) => ({ ...raw, imports: raw.imports.filter(({ name }) => name === "" || /^[_.]$/.test(name)) })],
    ["blank", (raw) => ({ ...raw, imports: raw.imports.filter(({ name }) => name !== "_") })],
    ["dot", (raw) => ({ ...raw, imports: raw.imports.filter(({ name }) => name !== ".") })],
    ["grouped", (raw, text) => (/import \(/.test(text) ? { ...raw, imports: [] } : raw)],
    ["raw string", (raw, text) => (text.includes("import `") ? { ...raw, imports: [] } : raw)],
    ["constrained", (raw, text) => (/^\/\/go:build !?[^i]/m.test(text) ? { ...raw, imports: [] } : raw)],
    ["external test's", (raw, text) => (text.includes("x_test") ? { ...raw, imports: [] } : raw)],
    ["cgo's", (raw) => ({ ...raw, imports: raw.imports.filter(({ path }) => path !== "C") })],
    ["ignored", (raw) => ({ ...raw, ignored: false })],
    ["embedded", (raw) => ({ ...raw, embeds: [] })],
    ["fault", (raw) => ({ ...raw, faults: [] })],
  ];
  it.each(kinds)("a reader that drops what is %s fails the table", { timeout }, async (_kind, drop) => {
    const dropping: Read = async (text) => drop(await read(text), text);
    const right = [];
    for (const row of goRows) right.push(await isRight(dropping, row));
    expect(right).toContain(false);
  });
});

describe("the two readers", () => {
  it("say which of them reads, in the cache's key", () => {
    expect(createGoReader({ toolchain: null }).readerKey("a.go")).toBe("go/1/grammar");
    const toolchain = { program: "/x/go", root: "/x", version: "1.2.3" };
    expect(createGoReader({ toolchain }).readerKey("a.go")).toBe("go/1/go1.2.3");
  });

  it("without a Go on the machine: the grammar", () => {
    expect(findGoIn(["/nowhere", "relative", ""])).toBeNull();
  });

  it("a Go that does not compile: the grammar, and it is said; the next key says so too", async () => {
    const toolchain = { program: "/bin/false", root: "/", version: "0.0.1" };
    const reader = createGoReader({ toolchain, toolFolder: await createTemporaryFolder() });
    const [found, second] = await reader.readImports([
      { path: "a.go", text: `package x\nimport "a.b/c"` },
      { path: "b.go", text: "package x" },
    ]);
    expect(found?.imports).toHaveLength(1);
    expect(found?.findings).toEqual([
      { severity: "warning", line: 0, message: expect.stringMatching(/read by the grammar.*compiled/) },
    ]);
    expect(second?.findings).toEqual([]);
    expect(reader.readerKey("a.go")).toBe("go/1/grammar");
  });

  it("a Go that does not compile: what the grammar read is kept under the grammar's key, the first time too", async () => {
    const toolchain = { program: "/bin/false", root: "/", version: "0.0.2" };
    const reader = createGoReader({ toolchain, toolFolder: await createTemporaryFolder() });
    expect(reader.readerKey("a.go")).toBe("go/1/go0.0.2");
    await reader.prepare?.();
    expect(reader.readerKey("a.go")).toBe("go/1/grammar");
  });

  it("a reader that compiles and does not run is as none: the key says so", async () => {
    const folder = await createTemporaryFolder();
    const program = join(folder, "go");
    // What it makes is no program.
    await writeFile(
      program,
      `#!/bin/sh\nfor word in "$@"; do [ "$before" = -o ] && echo exit 9 > "$word"; before=$word; done\n`,
    );
    await chmod(program, 0o755);
    const reader = createGoReader({ toolchain: { program, root: folder, version: "0.0.3" }, toolFolder: folder });
    await reader.prepare?.();
    expect(reader.readerKey("a.go")).toBe("go/1/grammar");
  });

  it("one text that kills Go's reader: the grammar reads that one alone, and says so", async () => {
    const asked: number[] = [];
    const texts = ["a", "b", "bad", "d", "e"].map((name) => `package ${name}\nimport "a.b/c"\n`);
    const read = async (some: readonly string[]) => {
      asked.push(some.length);
      if (some.some((text) => text.includes("bad"))) return { kind: "failed" as const, why: "it ended with SIGKILL" };
      return { kind: "read" as const, files: await Promise.all(some.map(readGoByGrammar)) };
    };
    const found = await readByTool(read, texts);
    expect(found.map(({ imports }) => imports.length)).toEqual([1, 1, 1, 1, 1]);
    expect(found.map(({ findings }) => findings.length)).toEqual([0, 0, 1, 0, 0]);
    expect(asked).toEqual([5, 2, 3, 1, 2]);
  });

  it.runIf(go !== null)("a reader that is too slow, or dies, is a failure with its reason", { timeout }, async () => {
    expect(await readByGoTool("/bin/sleep", ["x"], { wallMs: 50 })).toMatchObject({ kind: "failed" });
    expect(await readByGoTool("/bin/false", ["x"])).toMatchObject({
      kind: "failed",
      why: expect.stringMatching(/code 1/),
    });
    expect(await readByGoTool("/nowhere/x", ["x"])).toMatchObject({
      kind: "failed",
      why: expect.stringMatching(/does not start/),
    });
    expect(await readByGoTool("/bin/true", ["x"])).toMatchObject({
      kind: "failed",
      why: expect.stringMatching(/0 of 1/),
    });
  });

  it.runIf(go !== null)("many files, some of them hostile, are read in one run", { timeout }, async () => {
    const deep = `package x\nimport "a.b/c"\nvar a = ${"(".repeat(200_000)}`;
    const wide = `package x\nimport (\n${'"a.b/c"\n'.repeat(50_000)})\n`;
    const reader = createGoReader();
    const texts = [deep, wide, "\0\0\0", "package x\n/*", "\u{10FFFF}".repeat(1000)];
    const found = await reader.readImports(texts.map((text) => ({ path: "a.go", text })));
    expect(found.map(({ imports }) => imports.length)).toEqual([1, 50_000, 0, 0, 0]);
    expect(found.map(({ findings }) => findings.length > 0)).toEqual([false, false, true, true, true]);
  });

  it.runIf(go !== null)("know the same standard library as this machine's Go", { timeout }, async () => {
    const { stdout } = await promisify(execFile)(go?.program ?? "", ["list", "std"]);
    const names = stdout
      .trim()
      .split("\n")
      .filter((name) => !/(^|\/)internal(\/|$)|^vendor\//.test(name));
    expect(names.filter((name) => !goStandardPackages.has(name))).toEqual([]);
  });
});
