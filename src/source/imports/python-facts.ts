import { parse } from "smol-toml";
import { z } from "zod";
import { sayIssueAt } from "../../core/say-issue.ts";
import type { Finding } from "../finding.ts";
import { normaliseDistribution } from "./python-source.ts";

export const pyprojectFile = "pyproject.toml";

export const distributionName = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/);
const importName = z
  .string()
  .max(200)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
const requirements = z.array(z.string().max(2000)).max(2000);

const pyprojectSchema = z.looseObject({
  project: z
    .looseObject({
      name: distributionName,
      dependencies: requirements.optional(),
      dynamic: z.array(z.string()).optional(),
      "optional-dependencies": z.record(z.string(), requirements).optional(),
      scripts: z.record(z.string(), z.string().max(500)).optional(),
    })
    .optional(),
  "build-system": z
    .looseObject({
      requires: requirements.optional(),
      "build-backend": z.string().max(200).optional(),
      "backend-path": z.unknown().optional(),
    })
    .optional(),
  "dependency-groups": z.record(z.string(), z.array(z.unknown()).max(2000)).optional(),
  tool: z
    .looseObject({
      /** Import names of third-party distributions that are called otherwise: `pyyaml = ["yaml"]`. */
      mesh: z
        .strictObject({ imports: z.record(distributionName, z.array(importName).max(200)).default({}) })
        .optional(),
    })
    .optional(),
});

export type Pyproject = z.infer<typeof pyprojectSchema>;

export type PyprojectReading =
  | { readonly kind: "project"; readonly value: Pyproject }
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly finding: Finding };

export function readPyproject(text: string | undefined): PyprojectReading {
  if (text === undefined) return { kind: "none" };
  const value = parseToml(text, pyprojectFile, pyprojectSchema);
  return value.kind === "value" ? { kind: "project", value: value.value } : value;
}

export function parseToml<T>(
  text: string,
  file: string,
  schema: z.ZodType<T>,
): { readonly kind: "value"; readonly value: T } | { readonly kind: "refused"; readonly finding: Finding } {
  const refuse = (message: string): { readonly kind: "refused"; readonly finding: Finding } => ({
    kind: "refused",
    finding: { severity: "error", file, line: 0, message },
  });
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    return refuse(`is not TOML that can be used: ${error instanceof Error ? firstLine(error.message) : ""}`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { kind: "value", value: parsed.data };
  return refuse(sayIssueAt(parsed.error.issues[0]));
}

function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").slice(0, 300);
}

export interface Requirement {
  /** Normalised. */
  readonly distribution: string;
  readonly extras: readonly string[];
  /** What follows the semicolon; empty where it holds everywhere. */
  readonly marker: string;
}

/** A line of `dependencies`, or of a wheel's `Requires-Dist`; null where it is none. Versions are the lock's business. */
export function readRequirement(text: string): Requirement | null {
  const parts = /^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[([^\]]*)\])?([^;]*)(?:;(.*))?$/s.exec(text);
  const [, name, extras, , marker] = parts ?? [];
  if (name === undefined) return null;
  const wanted = (extras ?? "").split(",").map((extra) => normaliseDistribution(extra.trim()));
  return {
    distribution: normaliseDistribution(name),
    extras: wanted.filter((extra) => extra !== ""),
    marker: (marker ?? "").trim(),
  };
}

/** What runs needs (`dependencies`), and what only development does (groups and extras). */
export function listRequirements(pyproject: Pyproject): {
  readonly runtime: readonly Requirement[];
  readonly development: readonly Requirement[];
} {
  const project = pyproject.project;
  const development = [
    ...Object.values(project?.["optional-dependencies"] ?? {}).flat(),
    ...Object.values(pyproject["dependency-groups"] ?? {})
      .flat()
      .filter((one) => typeof one === "string"),
  ];
  const read = (texts: readonly string[]): Requirement[] => texts.flatMap((text) => readRequirement(text) ?? []);
  return { runtime: read(project?.dependencies ?? []), development: read(development) };
}
