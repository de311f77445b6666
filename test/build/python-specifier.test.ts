import { expect, it } from "vitest";
import { fitsPython } from "../../src/build/builders/python-specifier.ts";

it.each([
  [">=3.8", true],
  [">=3.8,<3.12", false],
  ["<4,>=3.13", true],
  [">= 3.14", false],
  ["~=3.8", true],
  ["~=3.12.1", false],
  ["==3.13.*", true],
  ["==3.12.*", false],
  ["!=3.13.*,>=3.9", false],
  ["!=3.13.1", true],
  ["==3.13", false],
  [">3.13", true],
  ["<3.13", false],
  ["<=3.13", false],
  ["<3.13.0a1", false],
  [">=3.13.0rc1", true],
  ["===3.13.2", true],
  ["", true],
])("a Python 3.13.2 for %j: %s, as pip and its like judge it", (specifier, fits) => {
  expect(fitsPython(specifier, "3.13.2")).toBe(fits);
});

it.each(["3.8", ">=three", ">=3.8;<4", "=>3.8"])("does not guess what %j asks for", (specifier) => {
  expect(fitsPython(specifier, "3.13.2")).toBeNull();
});
