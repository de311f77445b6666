import type { Planted } from "./planted.ts";

export const refusedAsLost: readonly Planted[] = [
  {
    situation: "settled promises, of which the good ones are taken",
    path: "src/store/a.ts",
    text: `export const f = async (all: Promise<1>[]) => (await Promise.allSettled(all)).flatMap((one) => one.status === "fulfilled" ? [one.value] : []);`,
  },
  {
    situation: "settled promises that nobody looks at, in a program of bin",
    path: "bin/a.js",
    text: `export async function f(all) { await Promise.allSettled(all); return "done"; }`,
  },
  {
    situation: "finally that returns",
    path: "src/store/a.ts",
    text: `export function f() { try { return g(); } finally { return []; } }`,
  },
  {
    situation: "a loop that goes on without what failed",
    path: "src/store/a.ts",
    text: `export function f(all: string[]) { const out = []; for (const one of all) { try { out.push(g(one)); } catch { continue; } } return out; }`,
  },
  {
    situation: "a loop that logs, and goes on without what failed",
    path: "bench/a.ts",
    text: `export function f(all: string[]) { for (const one of all) { try { g(one); } catch (error) { log(error); continue; } } }`,
  },
  {
    situation: "a callback's error that reads as empty",
    path: "src/store/a.ts",
    text: `export const f = (done: (x: unknown[]) => void) => g((error, rows) => done(error ? [] : rows));`,
  },
  {
    situation: "a callback's error, compared, that reads as nothing",
    path: "src/store/a.ts",
    text: `export const f = (done: (x: unknown) => void) => g((err, rows) => done(err !== null ? undefined : rows));`,
  },
  {
    situation: "what did not parse reads as empty",
    path: "src/store/a.ts",
    text: `export const f = (x: unknown) => { const parsed = s.safeParse(x); return parsed.success ? parsed.data : []; };`,
  },
  {
    situation: "what did not parse reads as empty, in one expression",
    path: "src/store/a.ts",
    text: `export const f = (x: unknown) => s.safeParse(x).data ?? [];`,
  },
];

export const passedAsKept: readonly Planted[] = [
  {
    situation: "settled promises whose reasons are thrown on",
    path: "src/store/a.ts",
    text: `export const f = async (all: Promise<1>[]) => { for (const one of await Promise.allSettled(all)) if (one.status === "rejected") throw one.reason; };`,
  },
  {
    situation: "an allowance above settled promises",
    path: "src/store/a.ts",
    text: `export const f = async (all: Promise<1>[]) => {\n  // absence is the answer: each says its own failure where it began\n  await Promise.allSettled(all);\n};`,
  },
  {
    situation: "finally that clears up",
    path: "src/store/a.ts",
    text: `export function f() { try { return g(); } finally { later(() => { return []; }); close(); } }`,
  },
  {
    situation: "a loop inside catch goes on",
    path: "src/store/a.ts",
    text: `export function f() { try { g(); } catch (error) { for (const x of y) { if (x) continue; h(x); } throw error; } }`,
  },
  {
    situation: "a parse that failed is null, which is said",
    path: "src/store/a.ts",
    text: `export const f = (x: unknown) => { const parsed = s.safeParse(x); return parsed.success ? parsed.data : null; };`,
  },
  {
    situation: "a choice that is about no error",
    path: "src/store/a.ts",
    text: `export const f = (wanted: boolean, rows: 1[]) => (wanted ? rows : []);`,
  },
  { situation: "a test looks at no reason", path: "test/a.test.ts", text: `await Promise.allSettled([]);` },
];
