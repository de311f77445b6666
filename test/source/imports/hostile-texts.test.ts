import { describe, expect, it } from "vitest";
import { stripJsonComments } from "../../../src/source/imports/package-facts.ts";
import { readPythonLock } from "../../../src/source/imports/python-lock.ts";
import { createRustReader } from "../../../src/source/imports/rust.ts";

/**
 * Each of these took minutes to hours while its text was looked through again from each of its places, and nothing else
 * of the controller went on. They are long enough for that to be a test that does not end, and no clock is asked.
 */
describe("a text that is made to be read slowly is read once (case 53)", () => {
  it.each([
    ["comments that are not closed", "/*"],
    ["strings that are not closed", '\\"'],
    ["commas", ","],
  ])("tsconfig.json: %s", (_what, text) => {
    expect(stripJsonComments(text.repeat(1_000_000))).not.toBe("");
  });

  it.each([
    ["spaces before a hash that is none", `a==1 ;${" ".repeat(1_000_000)}x`],
    ["hashes before a word that is none", `a==1 ;${" --hash=x".repeat(200_000)} x`],
    ["lines that go on and on", `a==1 ;${"\\\n".repeat(500_000)}`],
  ])("requirements.lock: %s", (_what, text) => {
    expect(readPythonLock(new Map([["requirements.lock", text]])).kind).toBe("refused");
  });

  it.each([
    ["attributes of one item", `${"#[test]\n".repeat(30_000)}fn f() {}\n`],
    ["a long path", `fn f() { ${"a::".repeat(20_000)}b(); }\n`],
    ["a star in many lists", `use a::{${"b::{".repeat(1_000)}${"*,".repeat(1_000)}${"}".repeat(1_000)}};\n`],
  ])("Rust: %s", async (_what, text) => {
    const [found] = await createRustReader().readImports([{ path: "src/lib.rs", text }]);
    expect(found?.imports.length).toBeLessThan(5);
  });
});
