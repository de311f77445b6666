import { posix } from "node:path";
import { isNode, walk, type Finding, type SourceFile } from "../source-file.ts";

const maxLines = 300;
/** `.d.ts`: types of what a package does not describe itself. */
const fileName = /^[a-z0-9]+(-[a-z0-9]+)*(\.(property|pg|flow|bed))?(\.test|\.d)?\.ts$/;
/** Names that say nothing about what is inside. */
const vagueName = /^(index|util|utils|helper|helpers|common|misc|shared)\.ts$/;
/** The one entry that Temporal's bundler needs. */
const barrel = "src/workflows/index.ts";

/** Size, names, no default exports, no barrels, nothing left to do, no shell. */
export function shapeRule(file: SourceFile): readonly Finding[] {
  // `bin` runs before there is a compiler: JavaScript, in a shape of its own.
  if (file.path.startsWith("bin/")) return [];
  const name = posix.basename(file.path);
  const lines = file.text.trimEnd().split("\n").length;
  const about = (line: number, message: string): Finding => ({ path: file.path, line, rule: "shape", message });
  return [
    ...(lines > maxLines
      ? [about(maxLines, `${lines} lines: a file stops at ${maxLines}. Which two things are in it?`)]
      : []),
    ...(fileName.test(name) ? [] : [about(1, `${name}: file names are kebab-case and end in .ts`)]),
    ...(vagueName.test(name) && file.path !== barrel
      ? [about(1, `${name} says nothing: name the file after its main export`)]
      : []),
    ...commentFindings(file, about),
    ...exportFindings(file, about),
    ...(file.path.startsWith("src/") ? shellFindings(file, about) : []),
  ];
}

type About = (line: number, message: string) => Finding;

function commentFindings(file: SourceFile, about: About): readonly Finding[] {
  return file.comments
    .filter((comment) => /\b(TODO|FIXME|XXX|HACK)\b/.test(comment.value))
    .map((comment) => about(file.lineOf(comment.start), "something is left to do: do it, or file an issue"));
}

function exportFindings(file: SourceFile, about: About): readonly Finding[] {
  const findings: Finding[] = [];
  walk(file.program, (node) => {
    if (node.type === "ExportDefaultDeclaration" && !file.path.endsWith(".config.ts")) {
      findings.push(about(file.lineOf(node.start), "no default exports: a thing has one name everywhere"));
    }
    if (node.type === "ExportSpecifier" && isNode(node["exported"]) && node["exported"]["name"] === "default") {
      findings.push(about(file.lineOf(node.start), "no default exports: a thing has one name everywhere"));
    }
    if (node.type === "ExportAllDeclaration" && file.path !== barrel) {
      findings.push(about(file.lineOf(node.start), "no barrels: import from the file that has it"));
    }
  });
  return findings;
}

/** No shell: `exec`, `execSync` and `shell: true`. Programs are started by argv. */
function shellFindings(file: SourceFile, about: About): readonly Finding[] {
  const findings: Finding[] = [];
  walk(file.program, (node) => {
    if (
      node.type === "ImportDeclaration" &&
      isNode(node["source"]) &&
      node["source"]["value"] === "node:child_process"
    ) {
      for (const name of importedNames(node["specifiers"])) {
        if (name === "exec" || name === "execSync")
          findings.push(about(file.lineOf(node.start), `${name} runs a shell: use execFile or spawn`));
      }
    }
    if (node.type !== "Property" || !isNode(node["key"]) || !isNode(node["value"])) return;
    const key = node["key"]["name"] ?? node["key"]["value"];
    if (key === "shell" && node["value"]["value"] === true)
      findings.push(about(file.lineOf(node.start), "shell: true runs a shell: give argv"));
  });
  return findings;
}

function importedNames(specifiers: unknown): readonly unknown[] {
  if (!Array.isArray(specifiers)) return [];
  return specifiers.map((one: unknown) => (isNode(one) && isNode(one["imported"]) ? one["imported"]["name"] : null));
}
