import { placeholderWords } from "../core/placeholder.ts";
import type { ChosenModule } from "./choose-builds.ts";
import type { Problem } from "./composition.ts";
import { fillTemplate } from "./fill-template.ts";

/**
 * Fills the templates of one part of a manifest. A key without a value, and a placeholder nobody knows, are problems:
 * nothing half filled reaches a machine. Only a file's text may hold other placeholders, because scripts do.
 */
export function fillFields<K extends string>(
  chosen: ChosenModule,
  address: string,
  where: string,
  templates: Readonly<Record<K, string>>,
  foreign: "refuse" | "keep" = "refuse",
): { readonly fields: Record<K, string>; readonly problems: readonly Problem[] } {
  const { module, assignment } = chosen;
  const fields: Record<K, string> = { ...templates };
  const missing = new Set<string>();
  const unknown = new Set<string>();
  for (const key in templates) {
    const filled = fillTemplate(templates[key], { config: chosen.config, address });
    fields[key] = filled.text;
    for (const name of filled.missing) missing.add(name);
    if (foreign === "refuse") for (const name of filled.unknown) unknown.add(name);
  }
  const problems: Problem[] = [
    ...[...missing].map((name): Problem => {
      const why = `${module} needs a value for ${name} on ${assignment.node} (${where}): assign it with ${name}=…`;
      return { code: "missing-config", module, why };
    }),
    ...[...unknown].map((name): Problem => {
      const why = `${module}: \${${name}} in ${where} means nothing here: ${placeholderWords.join(", ")} do`;
      return { code: "bad-config", module, why };
    }),
  ];
  return { fields, problems };
}
