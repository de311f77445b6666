import { describe, expect, it } from "vitest";
import { createImportReaders } from "../../../src/source/compare-sources.ts";

const readers = createImportReaders();

/** What is said of a file's names and of its lock. */
function messagesOf(language: string, file: string, text: string): string[] {
  const reader = readers.get(language);
  if (reader === undefined) throw new Error(`no reader of ${language}`);
  const facts = new Map([[file, text]]);
  const lock = reader.lockFiles.includes(file) ? reader.readLock(facts) : null;
  const findings = [
    ...reader.publishNames({ facts, files: [file] }).findings,
    ...(lock?.kind === "refused" ? [lock.finding] : []),
  ];
  return findings.filter((finding) => finding.file === file).map(({ message }) => message);
}

describe("a fact file of another shape is refused in words for people, with its key (case 53)", () => {
  it.each([
    ["typescript", "package.json", `{"name": 5}`, "name: text, not a number"],
    ["typescript", "package.json", `[]`, "is not as it must be: an object, not a list"],
    ["typescript", "package.json", `{"dependencies": {"left": 1}}`, "dependencies.left: text, not a number"],
    ["python", "pyproject.toml", `[project]\nname = 5\n`, "project.name: text, not a number"],
    ["rust", "Cargo.lock", `package = 5\n`, "package: a list, not a number"],
    ["rust", "Cargo.lock", `[[package]]\nname = "a"\n`, "package.0.version: text is missing"],
  ])("%s: %s of %s", (language, file, text, message) => {
    expect(messagesOf(language, file, text)).toEqual([message]);
  });

  it("a key as long as the file is cut", () => {
    const [message = ""] = messagesOf("typescript", "package.json", `{"dependencies": {"${"k".repeat(10_000)}": 1}}`);
    expect(message).toHaveLength("text, not a number".length + 202);
  });
});
