import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import type { Finding } from "./source-file.ts";

/** Every file of the repository that git knows or would add, by path from the root. */
export function listFiles(root: string): readonly string[] {
  const argv = ["-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const out = execFileSync("git", argv, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return [...new Set(out.split("\0"))].filter((path) => path !== "" && existsSync(posix.join(root, path))).toSorted();
}

/**
 * Every folder of `src` says what belongs in it: a README.md of its own, or its name with a slash (`resources/`)
 * in the README.md of the folder above.
 */
export function folderFindings(paths: readonly string[], read: (path: string) => string): readonly Finding[] {
  const folders = new Set(paths.filter((path) => path.startsWith("src/")).flatMap(foldersOf));
  const has = new Set(paths);
  return [...folders].toSorted().flatMap((folder) => {
    if (has.has(`${folder}/README.md`)) return [];
    const above = `${posix.dirname(folder)}/README.md`;
    if (has.has(above) && read(above).includes(`${posix.basename(folder)}/`)) return [];
    const message = "a folder says what belongs in it: write README.md";
    return [{ path: folder, line: 1, rule: "folder", message }];
  });
}

/** `src/a/b/c.ts` → `src/a`, `src/a/b`. */
function foldersOf(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.slice(1).map((_, index) => parts.slice(0, index + 2).join("/"));
}

/** Places outside the repository that its files must not know. Put together here so that this file has none. */
const foreignWords = [
  ["/work", "/main"],
  ["/work", "/shared"],
  ["shared", "/spec/"],
  ["shared", "/notes/"],
  ["/tmp", "/contract"],
  ["CONTRACT", ".md"],
  ["issues", " show"],
].map((parts) => parts.join(""));

/** Nothing in the repository refers to a place outside it. */
export function foreignFindings(path: string, text: string): readonly Finding[] {
  return text
    .split("\n")
    .flatMap((line, index) =>
      foreignWords
        .filter((word) => line.includes(word))
        .map((word) => ({ path, line: index + 1, rule: "foreign", message: `"${word}" is not of this repository` })),
    );
}

/** Exact versions only: a fresh clone installs what was tested. */
export function versionFindings(manifest: Readonly<Record<string, unknown>>): readonly Finding[] {
  return ["dependencies", "devDependencies", "optionalDependencies"].flatMap((group) => {
    const versions = manifest[group] ?? {};
    return Object.entries(versions).flatMap(([name, version]) =>
      /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(String(version))
        ? []
        : [
            {
              path: "package.json",
              line: 1,
              rule: "version",
              message: `${name}: ${String(version)} is not one exact version`,
            },
          ],
    );
  });
}

/** Each dependency has its line in docs/decisions: why it, and not code of our own. */
export function reasonFindings(manifest: Readonly<Record<string, unknown>>, record: string): readonly Finding[] {
  return ["dependencies", "devDependencies", "optionalDependencies"].flatMap((group) =>
    Object.keys(manifest[group] ?? {}).flatMap((name) =>
      record.includes(`\`${name}\``)
        ? []
        : [
            {
              path: "package.json",
              line: 1,
              rule: "reason",
              message: `${name} has no line in docs/decisions/0002-dependencies.md`,
            },
          ],
    ),
  );
}

/** Migrations are numbered without gaps, so that two people cannot take one number unseen. */
export function migrationFindings(paths: readonly string[]): readonly Finding[] {
  const names = paths.filter((path) => path.startsWith("src/store/migrations/") && path.endsWith(".sql")).toSorted();
  return names.flatMap((path, index) => {
    const wanted = String(index + 1).padStart(4, "0");
    return posix.basename(path).startsWith(`${wanted}-`)
      ? []
      : [{ path, line: 1, rule: "migration", message: `expected number ${wanted} here` }];
  });
}

export function readText(root: string): (path: string) => string {
  return (path) => readFileSync(posix.join(root, path), "utf8");
}
