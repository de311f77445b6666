import { resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import {
  findWrongPhrases,
  type KnownCommand,
  listDocumentTexts,
  listPhrases,
  listSourceTexts,
  readCommands,
} from "./command-phrases.ts";
import { listFiles, readText } from "../tidy/repository.ts";
import { readSource } from "../tidy/source-file.ts";

const root = resolve(import.meta.dirname, "../..");
const read = readText(root);
const files = listFiles(root);
let commands: readonly KnownCommand[];
beforeAll(async () => {
  commands = await readCommands();
}, 120_000);

const judge = (text: string): string[] =>
  findWrongPhrases([{ path: "x", line: 1, text }], commands).map((one) => one.slice("x:1  ".length));

describe("every command line that somebody is told can be typed (R48)", () => {
  it("in messages and remedies", () => {
    const told = files
      .filter((path) => path.startsWith("src/") && path.endsWith(".ts"))
      .flatMap((path) => listSourceTexts(readSource(path, read(path))));
    expect(told.flatMap(({ text }) => listPhrases(text)).length).toBeGreaterThan(200);
    expect(findWrongPhrases(told, commands)).toEqual([]);
  });

  it("in documents", () => {
    const told = files
      .filter((path) => path.endsWith(".md") && !path.startsWith("docs/decisions/"))
      .flatMap((path) => listDocumentTexts(path, read(path)));
    expect(told.flatMap(({ text }) => listPhrases(text)).length).toBeGreaterThan(100);
    expect(findWrongPhrases(told, commands)).toEqual([]);
  });
});

describe("a phrase is wrong where it", () => {
  it.each([
    [
      "leaves a required option out",
      "register it: mesh node add HOLE, then on that machine",
      "node add needs --address",
    ],
    ["leaves a required operand out", "mesh repo add NAME --moved", "repo add needs 2 operands, not 1"],
    ["has an option of another command", "mesh push HOLE --follow", "push has no option --follow"],
    ["has an option that is none", "mesh status --wiat --timeout 5", "status has no option --wiat"],
    ["names a command that is none", "see mesh module remvoe HOLE", "there is no command module remvoe"],
  ])("%s", (_what, text, wrong) => {
    expect(judge(text)).toEqual([expect.stringContaining(wrong)]);
  });

  it("is all of a remedy and lacks what it needs, and not where a sentence names the command", () => {
    const texts = (code: string) => findWrongPhrases(listSourceTexts(readSource("x.ts", code)), commands);
    expect(texts(`const next = "mesh node remove";`)).toEqual([
      "x.ts:1  node remove needs 1 operands, not 0: mesh node remove",
    ]);
    expect(texts(`const message = "mesh node remove was typed";`)).toEqual([]);
  });

  it.each([
    "mesh status --wait --timeout 120, and then mesh push HOLE",
    "the token comes from mesh node add or mesh host token and works once",
    "mesh plan HOLE   then   mesh push HOLE",
    "mesh recover --yes --without HOLE --why TEXT",
    "mesh keys recovery FILE --node NAME --incarnation ID",
    "every command of mesh keys has a help: mesh keys --help",
    "mesh local is up",
    "mesh graph --dot | dot -Tsvg",
    "mesh repo add NAME URL --moved",
  ])("and not in: %s", (text) => {
    expect(judge(text)).toEqual([]);
  });

  it("goes on behind the end of a line is read whole, and a template's holes are operands", () => {
    expect(listPhrases("mesh keys recovery f.dsse \\\n    --to 3.41")).toEqual([
      ["keys", "recovery", "f.dsse", "--to", "3.41"],
    ]);
    const [told] = listSourceTexts(readSource("x.ts", "const x = `see mesh why ${name}, or not`;"));
    expect(listPhrases(told?.text ?? "")).toEqual([["why", "HOLE"]]);
  });
});
