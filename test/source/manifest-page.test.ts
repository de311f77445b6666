import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { manifestSchema } from "../../src/core/manifest.ts";
import { readManifest } from "../../src/source/read-manifest.ts";

const page = readFileSync(new URL("../../docs/manifest.md", import.meta.url), "utf8");

/** The keys of each object in the schema, by the section that it has in the page; "": the manifest itself. */
function listKeys(schema: z.ZodType): { readonly section: string; readonly key: string }[] {
  const found: { section: string; key: string }[] = [];
  const visit = (given: unknown, section: string, before: string): void => {
    let inner = given;
    while (inner instanceof z.ZodDefault || inner instanceof z.ZodOptional || inner instanceof z.ZodArray)
      inner = inner instanceof z.ZodArray ? inner.element : inner.unwrap();
    if (!(inner instanceof z.ZodObject)) return;
    for (const [key, value] of Object.entries(inner.shape)) {
      found.push({ section, key: `${before}${key}` });
      visit(value, section === "" ? key : section, section === "" ? "" : `${before}${key}.`);
    }
  };
  visit(schema, "", "");
  return found;
}

const sections = new Map(
  page.split(/^## /m).map((text, at) => [at === 0 ? "" : (text.split("\n")[0] ?? ""), text] as const),
);
const examples = [...page.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text = ""]) => text);

describe("docs/manifest.md (R48)", () => {
  it("is about every key of the schema, each with a row in the section of its object", () => {
    const keys = listKeys(manifestSchema);
    expect(keys.map(({ key }) => key)).toEqual(expect.arrayContaining(["presence", "health.tcp", "adminPasswordFile"]));
    const missing = keys.filter(({ section, key }) => !sections.get(section)?.includes(`\n| \`${key}\` |`));
    expect(missing).toEqual([]);
  });

  it("names no key that the schema has not", () => {
    const known = listKeys(manifestSchema).map(({ section, key }) => `${section} ${key}`);
    const named = [...sections].flatMap(([section, text]) =>
      [...text.matchAll(/^\| `([A-Za-z.]+)` \|/gm)].map(([, key = ""]) => `${section} ${key}`),
    );
    expect(named.toSorted()).toEqual(known.toSorted());
  });

  it.each(examples)("has examples that are read as they stand: %j", (text) => {
    const [, module = ""] = /^module: (.*)$/m.exec(text) ?? [];
    expect(readManifest(text, module)).toMatchObject({ kind: "manifest" });
  });

  it("has an example of each key of the manifest", () => {
    const used = new Set(examples.flatMap((text) => [...text.matchAll(/^([a-z]+):/gm)].map(([, key]) => key)));
    expect(Object.keys(manifestSchema.shape).filter((key) => !used.has(key))).toEqual([]);
  });
});
