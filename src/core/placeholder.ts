/** What a key of `config` looks like, in a manifest and in an assignment. */
export const configKeyPattern = /^[a-z][A-Za-z0-9]{0,63}$/;

/** Paths that only the host knows: it fills them in. */
export const hostPlaceholders = ["data", "artifact", "etc"] as const;
export type HostPlaceholder = (typeof hostPlaceholders)[number];

/** What may stand in `${…}`, and nothing else does. */
export type Placeholder =
  | { readonly kind: "config"; readonly key: string }
  | { readonly kind: "address" }
  | { readonly kind: "host"; readonly path: HostPlaceholder }
  | { readonly kind: "unknown" };

/** How the vocabulary is told to people, in the order they need it. */
export const placeholderWords = ["config.KEY", "node.address", "data", "artifact", "etc"] as const;

/** `name`: what is between `${` and `}`. One function for whoever checks a manifest and whoever fills it. */
export function readPlaceholder(name: string): Placeholder {
  if (name === "node.address") return { kind: "address" };
  const path = hostPlaceholders.find((known) => known === name);
  if (path !== undefined) return { kind: "host", path };
  return name.startsWith("config.") ? { kind: "config", key: name.slice("config.".length) } : { kind: "unknown" };
}

/** The names in a text's `${…}`. Of `${a{b}` it is `a{b`, as for the host, which refuses that. */
export function listPlaceholders(text: string): string[] {
  return [...text.matchAll(/\$\{([^}]*)\}/g)].map((match) => match[1] ?? "");
}
