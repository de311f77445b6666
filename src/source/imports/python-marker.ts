/** Variables of environment markers (PEP 508), and the older names that pip still takes. */
const variables = new Set(
  (
    "os_name sys_platform platform_machine platform_python_implementation platform_release platform_system " +
    "platform_version python_version python_full_version implementation_name implementation_version " +
    "os.name sys.platform platform.version platform.machine platform.python_implementation python_implementation"
  ).split(" "),
);

/** Who wants it, not where it runs: the lock is fetched whole, so these hold. */
const groups = new Set(["extra", "extras", "dependency_groups"]);

const comparisons = new Set(["<", "<=", ">", ">=", "==", "!=", "~=", "===", "in", "not in"]);

export type MarkerReading =
  /** Empty: everywhere. Written in one way, however the file writes it. */
  { readonly kind: "marker"; readonly text: string } | { readonly kind: "refused"; readonly why: string };

/** A marker that holds; one that is a comparison; several. */
type Term =
  | { readonly kind: "holds" }
  | { readonly kind: "one"; readonly text: string }
  | { readonly kind: "and" | "or"; readonly text: string };

/** Leads out of the reading, and no further. */
class MarkerFault extends Error {}

/**
 * An environment marker of a lock file, without what it says of groups and extras. Nothing here decides whether it
 * holds: pip does, and takes no variable that it does not know.
 */
export function readMarker(marker: string): MarkerReading {
  if (marker.trim() === "") return { kind: "marker", text: "" };
  try {
    const words = listWords(marker);
    const term = readAny(words);
    if (words.length > 0) throw new MarkerFault(`says ${shown(words[0])} where it should end`);
    return { kind: "marker", text: term.kind === "holds" ? "" : term.text };
  } catch (error) {
    if (!(error instanceof MarkerFault)) throw error;
    return { kind: "refused", why: error.message };
  }
}

/** Longer than any that a tool writes; it also bounds how deep brackets are. */
const lengthLimit = 500;

function listWords(marker: string): string[] {
  if (marker.length > lengthLimit) throw new MarkerFault(`is longer than ${lengthLimit} characters`);
  const words: string[] = [];
  // No ` -` in a text: in a line of requirements pip takes what begins so for an option.
  const word = /\s*(?:([()]|[<>=!~]+|'(?:[\w.<>=!~()+*/:-]| (?!-))*'|"(?:[\w.<>=!~()+*/:-]| (?!-))*")|([\w.]+))/y;
  const text = marker.trimEnd();
  while (word.lastIndex < text.length) {
    const at = word.lastIndex;
    const found = word.exec(text);
    if (found === null) throw new MarkerFault(`cannot be read from ${shown(text.slice(at, at + 40))}`);
    words.push(found[1] ?? found[2] ?? "");
  }
  return words;
}

function readAny(words: string[]): Term {
  return readSeveral(words, "or", readAll);
}

function readAll(words: string[]): Term {
  return readSeveral(words, "and", readOne);
}

function readSeveral(words: string[], kind: "and" | "or", read: (words: string[]) => Term): Term {
  const terms = [read(words)];
  while (words[0] === kind) {
    words.shift();
    terms.push(read(words));
  }
  const asked = terms.filter((term) => term.kind !== "holds");
  const [first] = asked;
  // One of them holds: so do all that are joined by `or`. Joined by `and`, the others decide.
  if (first === undefined || (kind === "or" && asked.length < terms.length)) return { kind: "holds" };
  if (asked.length === 1) return first;
  const text = asked.map((term) => (kind === "and" && term.kind === "or" ? `(${term.text})` : term.text));
  return { kind, text: text.join(` ${kind} `) };
}

function readOne(words: string[]): Term {
  const first = words.shift();
  if (first === "(") {
    const term = readAny(words);
    if (words.shift() !== ")") throw new MarkerFault("has a bracket that does not end");
    return term;
  }
  const second = words.shift();
  const how = second === "not" && words[0] === "in" ? `not ${words.shift() ?? ""}` : second;
  const third = words.shift();
  if (how === undefined || !comparisons.has(how))
    throw new MarkerFault(`compares by ${shown(how)}, which is no comparison`);
  const sides = [first, third];
  const names = sides.filter((side) => side !== undefined && !isText(side));
  if (third === undefined || names.length !== 1)
    throw new MarkerFault("compares something else than a variable with a text");
  const [name = ""] = names;
  if (groups.has(name)) return { kind: "holds" };
  if (!variables.has(name))
    throw new MarkerFault(`asks for ${shown(name)}, which is no variable of environment markers`);
  const value = sides.find((side) => side !== name) ?? "";
  if (how === "~=" && !/^["']\d+(\.\d+)+/.test(value))
    throw new MarkerFault(`compares by ~= with ${shown(value)}, which is no version`);
  return {
    kind: "one",
    text: sides.map((side = "") => (isText(side) ? `"${side.slice(1, -1)}"` : side)).join(` ${how} `),
  };
}

function isText(word: string): boolean {
  return word.startsWith("'") || word.startsWith('"');
}

function shown(word: string | undefined): string {
  return word === undefined ? "nothing" : JSON.stringify(word.replaceAll(/\p{Cc}/gu, " ").slice(0, 60));
}
