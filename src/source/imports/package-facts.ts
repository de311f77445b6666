import { isBuiltin } from "node:module";
import { z } from "zod";
import { safeParse } from "secure-json-parse";
import { sayIssueAt } from "../../core/say-issue.ts";
import { listNames } from "../../decide/short-names.ts";
import type { Finding } from "../finding.ts";
import type { FactFiles, PublishedNames } from "./import-reader.ts";
import { keepReadings } from "./keep-readings.ts";

export const packageFile = "package.json";
export const lockFile = "package-lock.json";
export const tsconfigFile = "tsconfig.json";
export const packageFacts = [packageFile, lockFile, tsconfigFile] as const;

const versionsSchema = z.record(z.string(), z.string()).optional();

const packageSchema = z.looseObject({
  /** npm's own rule for names, without upper case. */
  name: z
    .string()
    .max(214)
    .regex(/^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/)
    .optional(),
  imports: z.record(z.string(), z.unknown()).optional(),
  exports: z.unknown().optional(),
  dependencies: versionsSchema,
  devDependencies: versionsSchema,
  peerDependencies: versionsSchema,
  optionalDependencies: versionsSchema,
});

export type PackageJson = z.infer<typeof packageSchema>;

export type PackageReading =
  | { readonly kind: "package"; readonly value: PackageJson }
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly finding: Finding };

const keptReading = keepReadings<PackageReading>((text) => {
  const value = parseJson(text, packageFile, packageSchema);
  return value.kind === "value" ? { kind: "package", value: value.value } : value;
});

/** Not to be written to: whoever asks for the same text is given the same. */
export function readPackage(text: string | undefined): PackageReading {
  return text === undefined ? { kind: "none" } : keptReading(text);
}

/** Everything that package.json names, in whatever section. */
export function listedPackages(own: PackageJson): Readonly<Record<string, string>> {
  return { ...own.peerDependencies, ...own.optionalDependencies, ...own.devDependencies, ...own.dependencies };
}

export function describeMissingLock(names: readonly string[]): string {
  return (
    `lists ${listNames(names)}, which no module publishes, but there is no ${lockFile} to fetch by: neither beside it nor, ` +
    "for a member of a workspace, in a folder above. Make one with `npm install --package-lock-only` and commit it"
  );
}

export function readPackageName(facts: FactFiles): PublishedNames {
  const reading = readPackage(facts.get(packageFile));
  if (reading.kind === "package") {
    const { name } = reading.value;
    if (name === undefined) return { names: [], findings: [] };
    if (!isBuiltin(name)) return { names: [name], findings: [] };
    const message = `publishes ${name}, which is Node's own: no module can import this one by it`;
    return { names: [name], findings: [{ severity: "warning", file: packageFile, line: 0, message }] };
  }
  if (reading.kind === "refused") return { names: [], findings: [reading.finding] };
  const message = "there is none: other modules cannot import this one";
  return { names: [], findings: [{ severity: "warning", file: packageFile, line: 0, message }] };
}

/**
 * JSON as tsconfig.json has it: with comments, and commas before a closing bracket. What is not closed is taken too, so
 * that a hostile file is not searched for its end from each of its beginnings.
 */
export function stripJsonComments(text: string): string {
  const tokens = /"(?:\\.|[^"\\\n])*"?|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/g;
  const bare = text.replaceAll(tokens, (token) => (token.startsWith('"') ? token : " "));
  return bare.replaceAll(/"(?:\\.|[^"\\\n])*"?|,(?=\s*[}\]])/g, (token) => (token === "," ? " " : token));
}

/** Deeper than any file that a person or a tool writes: what walks a value goes down as deep as it is. */
const depthLimit = 200;

function isTooDeep(text: string): boolean {
  // Most files have not even so many brackets.
  if (text.length <= depthLimit || countOpening(text) <= depthLimit) return false;
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:\\.|[^"\\\n])*"?|[[\]{}]/g)) {
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    if (depth > depthLimit) return true;
  }
  return false;
}

function countOpening(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) count += 1;
  }
  return count;
}

export function parseJson<T>(
  text: string,
  file: string,
  schema: z.ZodType<T>,
): { readonly kind: "value"; readonly value: T } | { readonly kind: "refused"; readonly finding: Finding } {
  if (isTooDeep(text)) {
    const message = `is nested deeper than ${depthLimit} levels`;
    return { kind: "refused", finding: { severity: "error", file, line: 0, message } };
  }
  // `undefined` for broken JSON, `null` for keys that would change every object's prototype.
  const value: unknown = safeParse(text);
  const parsed = schema.safeParse(value);
  if (parsed.success) return { kind: "value", value: parsed.data };
  const isJson = value !== null && value !== undefined;
  const message = isJson ? sayIssueAt(parsed.error.issues[0]) : "is not JSON that can be used";
  return { kind: "refused", finding: { severity: "error", file, line: 0, message } };
}
