import type { Planted } from "./planted.ts";

export const refusedAsImpure: readonly Planted[] = [
  { situation: "Date.now in decide", path: "src/decide/a.ts", text: `export const f = () => Date.now();` },
  { situation: "Date['now'] in decide", path: "src/decide/a.ts", text: `export const f = () => Date["now"]();` },
  { situation: "Math.random in core", path: "src/core/a.ts", text: `export const f = () => Math.random();` },
  { situation: "new Date() in a workflow", path: "src/workflows/a.ts", text: `export const f = () => new Date();` },
  { situation: "new Date(x) in decide", path: "src/decide/a.ts", text: `export const f = (x: number) => new Date(x);` },
  {
    situation: "globalThis.Date in decide",
    path: "src/decide/a.ts",
    text: `export const f = () => new globalThis.Date();`,
  },
  { situation: "Date() as a function", path: "src/decide/a.ts", text: `export const f = () => Date();` },
  { situation: "Date.now handed on as a value", path: "src/decide/a.ts", text: `export const clock = Date.now;` },
  {
    situation: "the environment in a workflow",
    path: "src/workflows/a.ts",
    text: `export const x = process.env["X"];`,
  },
  { situation: "a random id in decide", path: "src/decide/a.ts", text: `export const f = () => crypto.randomUUID();` },
];

export const passedAsPure: readonly Planted[] = [
  { situation: "Date.now in the worker", path: "src/worker/a.ts", text: `export const f = () => Date.now();` },
  {
    situation: "the words in a comment",
    path: "src/decide/a.ts",
    text: `// never Date.now()\nexport const x = "Math.random()";`,
  },
  { situation: "time as an argument", path: "src/decide/a.ts", text: `export const f = (now: number) => now + 1;` },
  {
    situation: "a member called now",
    path: "src/decide/a.ts",
    text: `export const f = (clock: { now: number }) => clock.now;`,
  },
];

const caught = (body: string): string =>
  `export async function f(): Promise<unknown> { try { return await g(); } catch (error) { ${body} } }`;

export const refusedAsEmptyResults: readonly Planted[] = [
  { situation: "catch returns a list", path: "src/store/a.ts", text: caught("return [];") },
  { situation: "catch returns an object", path: "src/store/a.ts", text: caught("return {};") },
  { situation: "catch returns null", path: "src/store/a.ts", text: caught("return null;") },
  { situation: "catch returns undefined", path: "src/store/a.ts", text: caught("return undefined;") },
  { situation: "catch returns nothing", path: "src/store/a.ts", text: caught("return;") },
  { situation: "catch returns false", path: "src/store/a.ts", text: caught("return false;") },
  { situation: "catch returns 0", path: "src/store/a.ts", text: caught("return 0;") },
  { situation: "catch returns an empty text", path: "src/store/a.ts", text: caught(`return "";`) },
  { situation: "catch returns an empty template", path: "src/store/a.ts", text: caught("return ``;") },
  { situation: "catch returns an empty map", path: "src/store/a.ts", text: caught("return new Map();") },
  { situation: "catch returns a typed empty list", path: "src/store/a.ts", text: caught("return [] as string[];") },
  {
    situation: "catch returns a promise of nothing",
    path: "src/store/a.ts",
    text: caught("return Promise.resolve(null);"),
  },
  { situation: "catch logs, then returns a list", path: "src/store/a.ts", text: caught("log.warn(error); return [];") },
  {
    situation: "catch returns nothing for some errors",
    path: "src/store/a.ts",
    text: caught(`if (error.code === "X") return null; throw error;`),
  },
  {
    situation: "catch chooses nothing",
    path: "src/store/a.ts",
    text: caught(`return known(error) ? null : raise(error);`),
  },
  { situation: "catch does nothing", path: "src/store/a.ts", text: caught("") },
  { situation: "catch holds only a comment", path: "src/store/a.ts", text: caught("/* fine */") },
  {
    situation: "catch without a name",
    path: "src/store/a.ts",
    text: `export function f() { try { return g(); } catch { return []; } }`,
  },
  {
    situation: "catch sets an empty value",
    path: "src/store/a.ts",
    text: `export function f() { let x; try { x = g(); } catch { x = []; } return x; }`,
  },
  { situation: ".catch(() => [])", path: "src/store/a.ts", text: `export const f = () => g().catch(() => []);` },
  { situation: ".catch(() => null)", path: "src/store/a.ts", text: `export const f = () => g().catch(() => null);` },
  {
    situation: ".catch(() => undefined)",
    path: "src/store/a.ts",
    text: `export const f = () => g().catch(() => undefined);`,
  },
  { situation: ".catch(() => {})", path: "src/store/a.ts", text: `export const f = () => g().catch(() => {});` },
  { situation: ".catch(() => ({}))", path: "src/store/a.ts", text: `export const f = () => g().catch(() => ({}));` },
  {
    situation: ".catch with a function",
    path: "src/store/a.ts",
    text: `export const f = () => g().catch(function () { return ""; });`,
  },
  {
    situation: ".then with a second handler",
    path: "src/store/a.ts",
    text: `export const f = () => g().then((x) => x, () => false);`,
  },
  { situation: ".catch(noop)", path: "src/store/a.ts", text: `export const f = () => g().catch(noop);` },
  {
    situation: "an allowance without a reason",
    path: "src/store/a.ts",
    text: caught("// absence is the answer:\n return null;"),
  },
  {
    situation: "an allowance far away",
    path: "src/store/a.ts",
    text: `// absence is the answer: the file may be missing\n\n\n\n\n${caught("return null;")}`,
  },
];

export const passedAsResults: readonly Planted[] = [
  {
    situation: "catch throws on",
    path: "src/store/a.ts",
    text: caught(`throw new Error("reading x", { cause: error });`),
  },
  {
    situation: "catch returns an outcome that says so",
    path: "src/store/a.ts",
    text: caught(`return { kind: "cannot-tell", why: String(error) };`),
  },
  {
    situation: "an allowance with its reason",
    path: "src/store/a.ts",
    text: caught(
      `// absence is the answer: no file means no mark yet\n if (error.code === "ENOENT") return null; throw error;`,
    ),
  },
  {
    situation: "an allowance inside what does nothing",
    path: "src/store/a.ts",
    text: caught("\n// absence is the answer: the process had ended already\n"),
  },
  {
    situation: "an allowance above .catch",
    path: "src/store/a.ts",
    text: `export const f = () =>\n  // absence is the answer: closing twice is harmless\n  g().catch(() => undefined);`,
  },
  {
    situation: "a function inside catch returns a list",
    path: "src/store/a.ts",
    text: caught("later(() => []); throw error;"),
  },
  { situation: "a test swallows", path: "test/store/a.test.ts", text: caught("return [];") },
  {
    situation: "an empty list without an error",
    path: "src/store/a.ts",
    text: `export const f = (x: boolean) => { if (x) return []; return [1]; };`,
  },
];

export const refusedByShape: readonly Planted[] = [
  { situation: "301 lines", path: "src/store/a.ts", text: "export const x = 1;\n".repeat(301) },
  { situation: "a name in camel case", path: "src/store/listNodes.ts", text: "export const x = 1;" },
  { situation: "a name in snake case", path: "test/store/list_nodes.test.ts", text: "export const x = 1;" },
  { situation: "a file called utils", path: "src/store/utils.ts", text: "export const x = 1;" },
  { situation: "a barrel by name", path: "src/store/index.ts", text: "export const x = 1;" },
  { situation: "a barrel by what it does", path: "src/store/a.ts", text: `export * from "./b.ts";` },
  { situation: "a default export", path: "src/store/a.ts", text: "export default 1;" },
  { situation: "a default export by name", path: "src/store/a.ts", text: "const x = 1; export { x as default };" },
  { situation: "something left to do", path: "src/store/a.ts", text: "// TODO: later\nexport const x = 1;" },
  {
    situation: "something left to mend in a test",
    path: "test/store/a.test.ts",
    text: "/* FIXME */ export const x = 1;",
  },
  { situation: "exec", path: "src/source/a.ts", text: `import { exec } from "node:child_process"; exec("ls");` },
  {
    situation: "execSync under another name",
    path: "src/source/a.ts",
    text: `import { execSync as run } from "node:child_process"; run("ls");`,
  },
  {
    situation: "a shell by option",
    path: "src/source/a.ts",
    text: `import { spawn } from "node:child_process"; spawn("ls", [], { shell: true });`,
  },
];

export const passedByShape: readonly Planted[] = [
  { situation: "300 lines", path: "src/store/a.ts", text: "export const x = 1;\n".repeat(300) },
  { situation: "a test of records", path: "test/store/list-nodes.pg.test.ts", text: "export const x = 1;" },
  { situation: "a bed", path: "test/beds/built-store-cross-node.bed.test.ts", text: "export const x = 1;" },
  { situation: "the bundler's entry", path: "src/workflows/index.ts", text: `export * from "./push.ts";` },
  {
    situation: "argv",
    path: "src/source/a.ts",
    text: `import { execFile } from "node:child_process"; execFile("ls", []);`,
  },
  { situation: "the words in a text", path: "src/store/a.ts", text: "export const x = 'TODO';" },
];
