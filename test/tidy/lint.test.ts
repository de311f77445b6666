import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** path, text, the rule that must refuse it. */
const refused: readonly (readonly [string, string, string])[] = [
  ["src/core/imports-node.ts", `import { sep } from "node:path";\nexport const x = sep;`, "no-restricted-imports"],
  ["src/core/imports-package.ts", `import { Pool } from 'pg';\nexport const x = Pool;`, "no-restricted-imports"],
  ["src/core/reads-clock.ts", `export const x = (): number => Date.now();`, "no-restricted-globals"],
  ["src/decide/imports-zod.ts", `import { z } from "zod";\nexport const x = z;`, "no-restricted-imports"],
  [
    "src/decide/imports-node.ts",
    `import { createHash } from 'node:crypto';\nexport const x = createHash;`,
    "no-restricted-imports",
  ],
  ["src/decide/fetches.ts", `export const x = (): unknown => fetch("http://localhost");`, "no-restricted-globals"],
  ["src/decide/waits.ts", `export const x = (f: () => void): unknown => setTimeout(f, 1);`, "no-restricted-globals"],
  ["src/decide/reads-environment.ts", `export const x = process.env;`, "no-restricted-globals"],
  [
    "src/workflows/imports-activities.ts",
    `import { go } from "../activities/go.ts";\nexport const x = go;`,
    "no-restricted-imports",
  ],
  [
    "src/workflows/imports-store.ts",
    `import { go } from '../store/go.ts';\nexport const x = go;`,
    "no-restricted-imports",
  ],
  ["src/workflows/imports-pino.ts", `import { pino } from "pino";\nexport const x = pino;`, "no-restricted-imports"],
  ["src/workflows/imports-node.ts", `import { sep } from "node:path";\nexport const x = sep;`, "no-restricted-imports"],
  [
    "src/store/floats.ts",
    `declare function go(): Promise<void>;\nexport function x(): void {\n  go();\n}`,
    "no-floating-promises",
  ],
  [
    "src/store/forgets-a-case.ts",
    `export function x(k: "a" | "b"): number {\n  switch (k) {\n    case "a":\n      return 1;\n  }\n  return 2;\n}`,
    "switch-exhaustiveness-check",
  ],
  [
    "src/store/imports-a-type-as-value.ts",
    `import { T } from "./type.ts";\nexport const x = (t: T): T => t;`,
    "consistent-type-imports",
  ],
  ["src/store/cycle-a.ts", `import { b } from "./cycle-b.ts";\nexport const a = (): unknown => b;`, "no-cycle"],
  ["src/store/any.ts", `export const x = (y: any): string => String(y);`, "no-explicit-any"],
  ["src/store/exports-default.ts", `export default 1;`, "no-default-export"],
  [
    "src/store/long-function.ts",
    `export function x(n: number): number {\n${"  n += 1;\n".repeat(70)}  return n;\n}`,
    "max-lines-per-function",
  ],
  ["src/store/long-file.ts", "export const x = 1;\n" + "// line\n".repeat(300), "max-lines"],
];

const passed: readonly (readonly [string, string])[] = [
  ["src/decide/digest.ts", `import { createHash } from "node:crypto";\nexport const x = createHash;`],
  ["src/core/imports-zod.ts", `import { z } from "zod";\nexport const x = z;`],
  [
    "src/workflows/imports-activity-types.ts",
    `import type { go } from "../activities/go.ts";\nexport type X = typeof go;`,
  ],
];

const others: readonly (readonly [string, string])[] = [
  ["src/store/cycle-b.ts", `import { a } from "./cycle-a.ts";\nexport const b = (): unknown => a;`],
  ["src/store/type.ts", `export type T = string;`],
  ["src/store/go.ts", `export const go = 1;`],
  ["src/activities/go.ts", `export const go = 1;`],
];

describe("the linter's configuration", () => {
  let folder = "";
  let output = "";

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "mesh-lint-"));
    for (const name of [".oxlintrc.json", "tsconfig.json", "package.json"])
      cpSync(join(root, name), join(folder, name));
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    for (const [path, text] of [...refused, ...passed, ...others]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), `${text}\n`);
    }
    const argv = [join(root, "node_modules/oxlint/bin/oxlint"), "--type-aware", "--deny-warnings", "-f", "unix", "src"];
    const run = spawnSync(process.execPath, argv, { cwd: folder, encoding: "utf8", timeout: 60_000 });
    output = run.stdout + run.stderr;
  }, 70_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(refused)("refuses %s", (path, _, rule) => {
    const about = output.split("\n").filter((line) => line.startsWith(`${path}:`) && line.includes(`(${rule})`));
    expect(about, output).not.toEqual([]);
  });

  it.each(passed)("lets %s pass", (path) => {
    expect(output.split("\n").filter((line) => line.startsWith(`${path}:`))).toEqual([]);
  });
});
