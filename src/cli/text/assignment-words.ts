import type { Assignment } from "../../core/node.ts";
import { plainLine } from "./plain.ts";

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

/** One word of a POSIX shell; what would break a line or act on a terminal is written as its code (`$'…'` of bash). */
function quoteWord(word: string): string {
  if (/^[A-Za-z0-9@%+=:,./_-]+$/.test(word)) return word;
  if (plainLine(word, Infinity) === word) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const coded = [...word.toWellFormed()].map((one) => {
    if (one === "'" || one === "\\") return `\\${one}`;
    if (/^[ -~]$/.test(one)) return one;
    return `\\U${(one.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}`;
  });
  return `$'${coded.join("")}'`;
}
