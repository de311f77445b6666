/** Folders in which Go looks for no packages of a module. */
function isIgnoredFolder(name: string): boolean {
  return name === "testdata" || name === "vendor" || name.startsWith("_") || name.startsWith(".");
}

/** Does any build of the module include this file? Every GOOS, GOARCH and tag is counted in. */
export function isGoSource(path: string): boolean {
  const segments = path.split("/");
  const name = segments.pop() ?? "";
  return name.endsWith(".go") && !/^[._]/.test(name) && !segments.some(isIgnoredFolder);
}

/** Also what is of `package x_test`: Go takes tests by the name of the file only. */
export function isGoTest(path: string): boolean {
  return path.endsWith("_test.go");
}

/** A folder with a go.mod of its own is another module, wherever Go would look for packages. */
export function listNestedModules(files: readonly string[]): string[] {
  const found = files
    .filter((path) => path.endsWith("/go.mod"))
    .map((path) => path.slice(0, -"/go.mod".length))
    .filter((folder) => !folder.split("/").some(isIgnoredFolder));
  return found.toSorted();
}
