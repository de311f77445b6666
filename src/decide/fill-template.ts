import { readPlaceholder } from "../core/placeholder.ts";

/** What `${…}` in a manifest's text stands for. `${data}`, `${artifact}` and `${etc}` are paths: the host fills them in. */
export interface TemplateValues {
  readonly config: Readonly<Record<string, string>>;
  /** The node's own address. */
  readonly address: string;
}

export interface FilledTemplate {
  readonly text: string;
  /** Keys of `${config.KEY}` that have no value. */
  readonly missing: readonly string[];
  /** Placeholders that mean nothing here. They stay as they are: in a shell script `${HOME}` is right. */
  readonly unknown: readonly string[];
}

/** Fills once: what a value brings in is not filled again. */
export function fillTemplate(template: string, values: TemplateValues): FilledTemplate {
  const missing: string[] = [];
  const unknown: string[] = [];
  const text = template.replace(/\$\{([^{}]*)\}/g, (whole, name: string) => {
    const placeholder = readPlaceholder(name);
    switch (placeholder.kind) {
      case "host":
        return whole;
      case "address":
        return values.address;
      case "unknown":
        unknown.push(name);
        return whole;
      case "config": {
        const value = Object.hasOwn(values.config, placeholder.key) ? values.config[placeholder.key] : undefined;
        if (value === undefined) missing.push(placeholder.key);
        return value ?? whole;
      }
    }
  });
  return { text, missing, unknown };
}

/** The keys of `${config.KEY}` in a text. */
export function configKeysOf(template: string): string[] {
  return [...template.matchAll(/\$\{config\.([^{}]*)\}/g)].flatMap((match) => match[1] ?? []);
}
