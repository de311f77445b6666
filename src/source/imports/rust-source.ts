/** Folders of data that look like code: never read. */
const dataFolders = /(^|\/)(fixtures|__fixtures__|node_modules)\//;

/** Whatever cargo may compile: code may lie anywhere in a crate. */
export function isRustSource(path: string): boolean {
  return path.endsWith(".rs") && !/^(target|tests\/ui)\//.test(path) && !dataFolders.test(path);
}

/** What cargo builds for tests, measurements and examples only. Unit tests inside `src/` are told by `#[cfg(test)]`. */
export function isRustTest(path: string): boolean {
  return /^(tests|benches|examples)\//.test(path);
}
