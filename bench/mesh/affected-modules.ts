/** The core alone, then nine layers; a package imports three of the layer below. */
const layers = 10;
const importsPerPackage = 3;
const filesPerPackage = 5;

export interface AffectedModules {
  readonly names: readonly string[];
  readonly core: string;
  readonly leaf: string;
  readonly files: Readonly<Record<string, string>>;
  /** What a change of this package may reach, itself too, sorted: worked out from the table the files were made from. */
  affectedBy(name: string): string[];
  /** The files of a change in it that everything that imports it could see; of each `version` another one. */
  touch(name: string, version?: number): Record<string, string>;
}

/** `declared`: the package.json of each says what it imports, as such files usually do; else only the imports do. */
export function makeAffectedModules(count: number, edges: "declared" | "imports only"): AffectedModules {
  const names = Array.from({ length: count }, (_, at) => `p${String(at).padStart(4, "0")}`);
  const nameOf = (at: number): string => names[at] ?? "";
  const files: Record<string, string> = {};
  const dependents = new Map<string, string[]>();
  for (const [at, name] of names.entries()) {
    const dependencies = listBelow(at, count).map(nameOf);
    for (const dependency of dependencies) dependents.set(dependency, [...(dependents.get(dependency) ?? []), name]);
    const declared = edges === "declared" ? dependencies : [];
    files[`packages/${name}/package.json`] = toJson({
      name: `@bench/${name}`,
      version: "1.0.0",
      type: "module",
      exports: "./src/index.ts",
      scripts: { build: "true" },
      dependencies: Object.fromEntries(declared.map((dependency) => [`@bench/${dependency}`, "*"])),
    });
    files[`packages/${name}/mesh.yaml`] = `module: ${name}\nlanguage: typescript\n`;
    files[`packages/${name}/tsconfig.json`] = toJson({ compilerOptions: { strict: true }, include: ["src"] });
    files[`packages/${name}/moon.yml`] =
      `layer: library\ndependsOn: [${declared.map((one) => `"${one}"`).join(", ")}]\n`;
    for (let part = 0; part < filesPerPackage; part += 1)
      files[pathOf(name, part)] = part === 0 ? indexText(dependencies) : partText(at, part, 0);
  }
  const [core = "", leaf = ""] = [names[0], names.at(-1)];
  return {
    names,
    core,
    leaf,
    files,
    affectedBy: (name) => {
      const reached = new Set([name]);
      for (const one of reached) for (const dependent of dependents.get(one) ?? []) reached.add(dependent);
      return [...reached].toSorted();
    },
    touch: (name, version = 1) => ({ [pathOf(name, 1)]: partText(names.indexOf(name), 1, version) }),
  };
}

function pathOf(name: string, part: number): string {
  return `packages/${name}/src/${part === 0 ? "index" : `part-${part}`}.ts`;
}

function indexText(dependencies: readonly string[]): string {
  const parts = Array.from({ length: filesPerPackage - 1 }, (_, at) => at + 1);
  return [
    ...dependencies.map((dependency) => `import { value as ${dependency} } from "@bench/${dependency}";`),
    ...parts.map((part) => `import { part${part} } from "./part-${part}.ts";`),
    `export const value: number = ${["1", ...dependencies, ...parts.map((part) => `part${part}()`)].join(" + ")};\n`,
  ].join("\n");
}

function partText(at: number, part: number, version: number): string {
  const steps = Array.from(
    { length: 40 },
    (_, line) => `function step${line}(input: number): number {\n  return input * ${at + line} + ${part};\n}`,
  );
  return `${steps.join("\n")}\nexport const part${part} = (): number => step0(step1(${at + version}));\n`;
}

function listBelow(at: number, count: number): number[] {
  if (at === 0) return [];
  const perLayer = Math.ceil((count - 1) / (layers - 1));
  const layer = Math.floor((at - 1) / perLayer);
  if (layer === 0) return [0];
  const below = Array.from(
    { length: importsPerPackage },
    (_, which) => 1 + (layer - 1) * perLayer + ((at * 7 + which * 31) % perLayer),
  );
  return [...new Set(below)].toSorted((a, b) => a - b);
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
