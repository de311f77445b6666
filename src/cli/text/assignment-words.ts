import type { Assignment } from "../../core/node.ts";
import { plainLine } from "./plain.ts";
import { quoteWord } from "./quote-word.ts";

/** The command that makes exactly this assignment. Assigning replaces the whole configuration, so all of it is there. */
export function assignCommandLine({ node, module, config, providers }: Assignment): string {
  const set = Object.entries(config).map(([key, value]) => ` --set ${quoteWord(`${key}=${value}`)}`);
  const chosen = Object.entries(providers).map(([key, provider]) => ` --provider ${quoteWord(`${key}=${provider}`)}`);
  return `mesh assign ${node} ${module}${[...set, ...chosen].join("")}`;
}

/** `port=8080, motd=hello, database from postgres@node-b`; empty where it has none. */
export function configWords({ config, providers }: Pick<Assignment, "config" | "providers">): string {
  return [
    ...Object.entries(config).map(([key, value]) => `${key}=${plainLine(value, 60)}`),
    ...Object.entries(providers).map(([key, provider]) => `${key} from ${provider}`),
  ].join(", ");
}
