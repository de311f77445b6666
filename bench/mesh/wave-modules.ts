import { typescriptModule } from "../../test/support/build-bed.ts";

/** A library and all others built against it: the widest wave there is. */
export function makeWaveModules(count: number): Record<string, string> {
  const files = { ...typescriptModule("core", { "src/index.ts": coreText("the first", 1) }) };
  for (const name of waveNames(count))
    Object.assign(
      files,
      typescriptModule(name, {
        "src/index.ts": `import { one } from "@test/core";\nexport const value: number = one;\n`,
      }),
    );
  return files;
}

export function waveNames(count: number): string[] {
  return Array.from({ length: count - 1 }, (_, at) => `m${String(at).padStart(3, "0")}`);
}

/** The comment is not in what is compiled; the number is. */
export function coreText(comment: string, value: number): string {
  return `// ${comment}\nexport const one: number = ${value};\n`;
}
