import { expect, it } from "vitest";
import { readScripts } from "../../../src/build/builders/python-own-wheel.ts";

it.each([
  ["[console_scripts]\npage = page.main:run\n", [["page", "page.main:run"]]],
  [
    "  [ console_scripts ]  \r\n  page=page.main:run  \r\nmore  =  a:b = c",
    [
      ["page", "page.main:run"],
      ["more", "a:b = c"],
    ],
  ],
  ["[gui_scripts]\npage = a:b\n[console_scripts]\n[more]\nc = d:e\n", []],
  ["[console_scripts]\n= a:b\npage\n[x = y\n", []],
  ["[console_scripts]\npage =\n", [["page", ""]]],
])("%j", (text, expected) => {
  expect([...readScripts(text)]).toEqual(expected);
});

it("reads a long run of blanks once, in a name and in a value (case 55)", () => {
  const blanks = " ".repeat(400_000);
  const text = `[console_scripts]\na${blanks}b\nc = d${blanks}e\n`;
  expect([...readScripts(text)].map(([name, value]) => [name, value.length])).toEqual([["c", blanks.length + 2]]);
});
