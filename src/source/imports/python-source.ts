/** What the build leaves alone where it lies beside a package: tools, documents, what earlier builds made. */
const besides = new Set(
  "docs doc examples scripts tools benchmarks build dist venv env node_modules site-packages bin".split(" "),
);
const toolFiles = new Set(["setup.py", "noxfile.py", "tasks.py", "fabfile.py", "hatch_build.py", "conftest.py"]);
const name = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `.py` and `.pyi` of packages and tests. Which of them a wheel has is decided by the layout. */
export function isPythonSource(path: string): boolean {
  const segments = path.split("/");
  if (!/\.pyi?$/.test(path) || segments.some((segment) => segment.startsWith(".") || segment === "__pycache__"))
    return false;
  const [top = ""] = segments;
  if (segments.length > 1 && besides.has(top)) return false;
  if (segments.length === 1 && toolFiles.has(top) && !isPythonTest(path)) return false;
  return !/^tests?\/(.*\/)?(fixtures|data)\//.test(path);
}

/** What only the build's own test run reads; no artifact has it. */
export function isPythonTest(path: string): boolean {
  const segments = path.split("/");
  const file = segments.at(-1) ?? "";
  if (segments.slice(0, -1).some((segment) => segment === "tests" || segment === "test")) return true;
  return /^(test_.*|.*_test|conftest)\.py$/.test(file);
}

/** Where a module keeps what it publishes, as flit and hatchling find it by themselves. */
export interface PythonLayout {
  /** Below which folder the packages are: `src`, or the module's own. */
  readonly root: "src" | ".";
  /** Names that other modules import, sorted. */
  readonly names: readonly string[];
}

/** `project`: the name in pyproject.toml, for a package that is one file beside it. */
export function readPythonLayout(files: readonly string[], project: string | null): PythonLayout {
  const code = files.filter((path) => isPythonSource(path) && !isPythonTest(path));
  const below = code.filter((path) => path.startsWith("src/")).map((path) => path.slice("src/".length).split("/"));
  if (below.length > 0 && !files.includes("src/__init__.py")) {
    const tops = below.map(([top = ""]) => top.replace(/\.pyi?$/, ""));
    return { root: "src", names: sortNames(tops) };
  }
  const packages = code.flatMap((path) => {
    const segments = path.split("/");
    const [top = ""] = segments;
    // One level down as well: a namespace has no file of its own.
    return /^__init__\.pyi?$/.test(segments.at(-1) ?? "") && segments.length <= 3 ? [top] : [];
  });
  if (packages.length > 0) return { root: ".", names: sortNames(packages) };
  const single = importNameOf(project ?? "");
  return { root: ".", names: code.some((path) => path === `${single}.py`) ? sortNames([single]) : [] };
}

function sortNames(names: readonly string[]): string[] {
  return [...new Set(names)].filter((one) => name.test(one)).toSorted();
}

/** A distribution's name as its package is called where nothing else is said. */
export function importNameOf(distribution: string): string {
  return normaliseDistribution(distribution).replaceAll("-", "_");
}

/** PEP 503: `Foo.bar_baz` and `foo-bar-baz` are one distribution. */
export function normaliseDistribution(distribution: string): string {
  return distribution.replaceAll(/[-_.]+/g, "-").toLowerCase();
}

export type PythonPlace =
  /** In the wheel. `parents`: how many packages it is in. */
  | { readonly kind: "package"; readonly parents: number }
  /** `top`: the folder that Python looks in first when the test runs. */
  | { readonly kind: "test"; readonly top: string; readonly parents: number }
  /** In neither: no build reads it. */
  | { readonly kind: "none" };

/** `has`: is there such a file in the module? */
export function placeOf(path: string, layout: PythonLayout, has: (path: string) => boolean): PythonPlace {
  const folders = path.split("/").slice(0, -1);
  const inRoot = layout.root === "." ? folders : folders[0] === "src" ? folders.slice(1) : null;
  const top = (inRoot?.[0] ?? path.split("/").at(-1) ?? "").replace(/\.pyi?$/, "");
  const isPublished = inRoot !== null && layout.names.includes(top);
  if (isPublished) return { kind: "package", parents: inRoot.length };
  if (!isPythonTest(path)) return { kind: "none" };
  let at = folders.length;
  while (at > 0 && has([...folders.slice(0, at), "__init__.py"].join("/"))) at -= 1;
  return { kind: "test", top: folders.slice(0, at).join("/"), parents: folders.length - at };
}
