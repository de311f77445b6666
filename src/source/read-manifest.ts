import { type Document, isAlias, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from "yaml";
import type { z } from "zod";
import { buildEdgeKeys, type Manifest, manifestSchema } from "../core/manifest.ts";
import type { Name } from "../core/names.ts";
import { listManifestKeys } from "./manifest-keys.ts";
import { sayIssue } from "../core/say-issue.ts";
import { checkManifest } from "./check-manifest.ts";
import type { Finding } from "./finding.ts";

export const manifestFile = "mesh.yaml";
export const manifestBytesLimit = 64 * 1024;

/** Deeper than any manifest. `yaml` compiles a regular expression per depth and takes the process down with it. */
const depthLimit = 64;

export type ManifestReading =
  | { readonly kind: "manifest"; readonly manifest: Manifest }
  | { readonly kind: "refused"; readonly findings: readonly [Finding, ...Finding[]] };

/** Reads the text of a mesh.yaml. Every refusal carries its line. `module`: the name it was registered under. */
export function readManifest(text: string, module: Name): ManifestReading {
  const plain = readPlain(text, module);
  return plain === null ? readDocument(text, module) : { kind: "manifest", manifest: plain };
}

const plainLine = /^([a-z]+): ([A-Za-z][\w-]*)$/;
/** To YAML these are no texts. */
const otherThanText = /^(?:null|true|false)$/i;

/**
 * A manifest that says words only, a line for each, as most modules that nobody configured do: reading YAML is a tenth of what such
 * a module costs where nothing is known. Null: it says more, or something is wrong with it, and the whole reading says what.
 */
function readPlain(text: string, module: Name): Manifest | null {
  const said = new Map<string, string>();
  for (const line of text.replace(/\n$/, "").split("\n", plainLines + 1)) {
    const [, key, word] = plainLine.exec(line) ?? [];
    if (key === undefined || word === undefined || said.has(key) || otherThanText.test(word)) return null;
    said.set(key, word);
  }
  if (said.size > plainLines) return null;
  const parsed = manifestSchema.safeParse(Object.fromEntries(said));
  const isWhole = parsed.success && parsed.data.module === module && checkManifest(parsed.data).length === 0;
  return isWhole ? parsed.data : null;
}

/** A manifest has no more keys that are followed by a word. */
const plainLines = 10;

/** Exported for the test that holds the short way to it. */
export function readDocument(text: string, module: Name): ManifestReading {
  if (Buffer.byteLength(text) > manifestBytesLimit) {
    return refuse([finding(0, `larger than ${manifestBytesLimit} bytes`)]);
  }
  // YAML has no control characters; the parser lets them through, and an environment cannot hold a NUL.
  const control = text.search(/[\0-\u0008\u000b\u000c\u000e-\u001f\u007f]/);
  if (control !== -1) return refuse([finding(text.slice(0, control).split("\n").length, "holds a control character")]);
  const deep = findDeepLine(text);
  if (deep !== null) return refuse([finding(deep, `nested deeper than ${depthLimit} levels`)]);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    schema: "core",
    version: "1.2",
    merge: false,
    uniqueKeys: true,
    strict: true,
    // Not "silent": that drops the error about a second document.
    logLevel: "error",
    prettyErrors: false,
    lineCounter: lines,
  });
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  // A warning is a tag nobody knows, `!!js/function` for one: nothing is guessed.
  const faults = [...document.errors, ...document.warnings].map((fault) =>
    finding(lineAt(fault.pos[0]), fault.message),
  );
  const found = faults.length > 0 ? faults : checkNodes(document, lineAt);
  if (found.length > 0) return refuse(found);
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  if (value === null) return refuse([finding(1, "is empty: the least it says is `module: NAME` and `language: …`")]);
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success) return refuse(describeIssues(parsed.error.issues, document, lineAt));
  if (parsed.data.module !== module) {
    const message = `says module ${parsed.data.module}, but this folder is registered as ${module}: a rename is a new module`;
    return refuse([finding(lineOf(document, ["module"], lineAt), message)]);
  }
  const wrong = checkManifest(parsed.data).map(({ path, message }) => finding(lineOf(document, path, lineAt), message));
  if (wrong.length > 0) return refuse(wrong);
  return { kind: "manifest", manifest: parsed.data };
}

function findDeepLine(text: string): number | null {
  let depth = 0;
  let number = 0;
  for (const line of text.split(/\r\n|\r|\n/)) {
    number += 1;
    const lead = /^(?:[ \t]|[-?:](?=[ \t]|$))*/.exec(line)?.[0] ?? "";
    if (lead.replaceAll(/[ \t]/g, "").length > depthLimit || lead.length > depthLimit * 8) return number;
    for (const sign of line) {
      if (sign === "[" || sign === "{") depth += 1;
      else if ((sign === "]" || sign === "}") && depth > 0) depth -= 1;
      if (depth > depthLimit) return number;
    }
  }
  return null;
}

/** What the schema cannot see: aliases, keys that are no plain words, keys that every object already has. */
function checkNodes(document: Document, lineAt: (offset: number) => number): Finding[] {
  const findings: Finding[] = [];
  visit(document, {
    Alias: (_key, node) => {
      findings.push(finding(lineAt(node.range?.[0] ?? 0), "aliases are not allowed: write the value out"));
    },
    Pair: (_key, pair) => {
      const key = pair.key;
      const line = isNode(key) ? lineAt(key.range?.[0] ?? 0) : 0;
      if (isAlias(key)) return;
      if (!isScalar(key) || typeof key.value !== "string") findings.push(finding(line, "a key must be a plain word"));
      else if (key.value in {}) findings.push(finding(line, `the key ${key.value} is not allowed`));
    },
  });
  return findings;
}

/** In the order of lines; of one object the unknown keys first, as what is missing there is often what one of them was to be. */
function describeIssues(
  issues: readonly z.core.$ZodIssue[],
  document: Document,
  lineAt: (offset: number) => number,
): Finding[] {
  const unknown = issues.filter(({ code }) => code === "unrecognized_keys");
  const pathOf = (issue: z.core.$ZodIssue): string => JSON.stringify(issue.path.map(String));
  const others = issues.filter((issue) => !unknown.includes(issue));
  return [...unknown, ...others].flatMap((issue) => {
    const found = describeIssue(issue, document, lineAt);
    const parent = JSON.stringify(issue.path.slice(0, -1).map(String));
    const beside = unknown.find((one) => one !== issue && pathOf(one) === parent);
    if (beside === undefined) return found;
    // What is missing has no line of its own: said where the unknown key is, after it.
    const line = Math.min(...describeIssue(beside, document, lineAt).map((one) => one.line));
    return found.map((one) => ({ ...one, line: Math.max(one.line, line) }));
  });
}

function describeIssue(issue: z.core.$ZodIssue, document: Document, lineAt: (offset: number) => number): Finding[] {
  const path = issue.path.filter((step) => typeof step !== "symbol");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => finding(lineOf(document, [...path, key], lineAt), describeUnknownKey(path, key)));
  }
  if (path.length === 1 && path[0] === "upgrade" && document.get("upgrade") === "plan") {
    return [finding(lineOf(document, path, lineAt), "upgrade: plan is not yet there: record and auto exist")];
  }
  const where = path.length === 0 ? "" : `${path.join(".")}: `;
  const keys = issue.code === "invalid_type" && issue.expected === "object" ? listManifestKeys(path) : [];
  const more = keys.length === 0 ? "" : ` (an object with ${keys.join(", ")})`;
  return [finding(lineOf(document, path, lineAt), `${where}${sayIssue(issue)}${more}`)];
}

function describeUnknownKey(path: readonly (string | number)[], key: string): string {
  if (path.length === 0 && buildEdgeKeys.some((known) => known.toLowerCase() === key.toLowerCase())) {
    return `${key}: build edges are never declared, they are read from the imports in the code at every build (R4): remove this key`;
  }
  const keys = listManifestKeys(path);
  const known = keys.length === 0 ? "" : ` (known: ${keys.join(", ")})`;
  return `unknown key ${JSON.stringify([...path, key].join(".").slice(0, 100))}${known}`;
}

/** The line of the key at a path, or of the nearest thing above it that is written down. */
function lineOf(document: Document, path: readonly (string | number)[], lineAt: (offset: number) => number): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parent: unknown = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const step = path[length - 1];
    if (isMap(parent)) {
      const pair = parent.items.find((item) => isScalar(item.key) && item.key.value === step);
      if (pair !== undefined && isNode(pair.key)) return lineAt(pair.key.range?.[0] ?? 0);
    }
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lineAt(node.range[0]);
  }
  return 1;
}

function finding(line: number, message: string): Finding {
  return { severity: "error", file: manifestFile, line, message };
}

function refuse(findings: readonly Finding[]): ManifestReading {
  const [first, ...rest] = findings.toSorted((a, b) => a.line - b.line).slice(0, 20);
  if (first === undefined) throw new Error("a refusal has a reason");
  return { kind: "refused", findings: [first, ...rest] };
}
