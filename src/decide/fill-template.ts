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

const hostPlaceholders: ReadonlySet<string> = new Set(["data", "artifact", "etc"]);

/** Fills once: what a value brings in is not filled again. */
export function fillTemplate(template: string, values: TemplateValues): FilledTemplate {
  const missing: string[] = [];
  const unknown: string[] = [];
  const text = template.replace(/\$\{([^{}]*)\}/g, (whole, name: string) => {
    if (hostPlaceholders.has(name)) return whole;
    if (name === "node.address") return values.address;
    if (!name.startsWith("config.")) {
      unknown.push(name);
      return whole;
    }
    const key = name.slice("config.".length);
    const value = Object.hasOwn(values.config, key) ? values.config[key] : undefined;
    if (value === undefined) missing.push(key);
    return value ?? whole;
  });
  return { text, missing, unknown };
}

/** The keys of `${config.KEY}` in a text. */
export function configKeysOf(template: string): string[] {
  return [...template.matchAll(/\$\{config\.([^{}]*)\}/g)].flatMap((match) => match[1] ?? []);
}
