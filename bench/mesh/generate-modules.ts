/** Layers of equal size; a module imports three of the layer below. */
const layers = 10;
const importsPerModule = 3;
const sourcesPerModule = 6;

/** Files of a repository with this many TypeScript modules. The same number gives the same bytes. */
export function generateModules(count: number): Record<string, string> {
  const files: Record<string, string> = {};
  for (let index = 0; index < count; index += 1) {
    const name = moduleName(index);
    files[`${name}/mesh.yaml`] = `module: ${name}\nlanguage: typescript\n`;
    files[`${name}/package.json`] = `${JSON.stringify({ name: `@bench/${name}`, version: "1.0.0", type: "module" })}\n`;
    files[`${name}/tsconfig.json`] = `{"compilerOptions":{"module":"nodenext","strict":true},"include":["src"]}\n`;
    for (let source = 0; source < sourcesPerModule; source += 1)
      files[`${name}/src/${source === 0 ? "index" : `part-${source}`}.ts`] = sourceText(index, source, count);
  }
  return files;
}

export function moduleName(index: number): string {
  return `module-${String(index).padStart(4, "0")}`;
}

function sourceText(index: number, source: number, count: number): string {
  const lines: string[] = [];
  if (source === 0) {
    for (const dependency of dependenciesOf(index, count))
      lines.push(`import { value as v${dependency} } from "@bench/${moduleName(dependency)}";`);
    for (let part = 1; part < sourcesPerModule; part += 1)
      lines.push(`import { part${part} } from "./part-${part}.ts";`);
    const values = dependenciesOf(index, count).map((dependency) => `v${dependency}`);
    const parts = Array.from({ length: sourcesPerModule - 1 }, (_, part) => `part${part + 1}()`);
    lines.push(`export const value: number = ${["1", ...values, ...parts].join(" + ")};`);
  } else {
    lines.push(`import { readFile } from "node:fs/promises";`, `export const read = readFile;`);
    for (let line = 0; line < 40; line += 1)
      lines.push(`function step${line}(input: number): number {`, `  return input * ${index + line} + ${source};`, `}`);
    lines.push(`export const part${source} = (): number => step0(step1(${index}));`);
  }
  return `${lines.join("\n")}\n`;
}

function dependenciesOf(index: number, count: number): number[] {
  const perLayer = Math.ceil(count / layers);
  const layer = Math.floor(index / perLayer);
  if (layer === 0) return [];
  const below = (layer - 1) * perLayer;
  return Array.from({ length: importsPerModule }, (_, which) => below + ((index * 7 + which * 31) % perLayer)).filter(
    (dependency, place, all) => all.indexOf(dependency) === place,
  );
}
