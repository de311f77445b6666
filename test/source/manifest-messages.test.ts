import { expect, it } from "vitest";
import { readManifest } from "../../src/source/read-manifest.ts";

const say = (text: string): readonly string[] => {
  const reading = readManifest(`module: shop\nlanguage: files\n${text}`, "shop");
  if (reading.kind === "manifest") throw new Error("it was read");
  return reading.findings.map(({ line, message }) => `${line}: ${message}`);
};

it("names the keys of an entry that was written as a word (R48)", () => {
  expect(say("presence: [broker]\n")).toEqual([
    "3: presence.0: an object, not text (an object with module, withinSeconds)",
  ]);
  expect(say("service: shop\n")).toEqual(["3: service: an object, not text (an object with command, env, health)"]);
});

it.each([
  ["on one line", "files: [{ path: a, content: b }]\n", [3, 3]],
  ["on lines of their own", "files:\n  - path: a\n    content: b\n", [5, 5]],
])(
  "says an unknown key before what is missing for it, and which there are (R48): %s",
  (_what, text, [first, second]) => {
    expect(say(text)).toEqual([
      `${first}: unknown key "files.0.content" (known: path, mode, text)`,
      `${second}: files.0.text: text is missing`,
    ]);
  },
);
