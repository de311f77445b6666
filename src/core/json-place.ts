const token =
  /[\t\n\r ]*(?:(?<mark>[{}[\],:])|(?<text>"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(?<plain>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

export interface JsonPlaces {
  /** Where it stops to be JSON; null: it is. */
  readonly brokenAt: number | null;
  /** Of each member, by its path with dots, where its name stands. */
  readonly members: ReadonlyMap<string, number>;
}

interface Open {
  readonly kind: "{" | "[";
  path: string;
  wants: "first" | "name" | "colon" | "value" | "comma";
}

/** Where things are in a JSON text: `JSON.parse` says it in other words with each version of Node, and not always. */
export function findJsonPlaces(source: string): JsonPlaces {
  const members = new Map<string, number>();
  const open: Open[] = [];
  let isDone = false;
  let at = 0;
  for (;;) {
    token.lastIndex = at;
    const found = token.exec(source);
    const start = at + (/^[\t\n\r ]*/.exec(source.slice(at))?.[0].length ?? 0);
    if (found === null) return { brokenAt: isDone && start === source.length ? null : start, members };
    const { mark, text, plain } = found.groups ?? {};
    at = token.lastIndex;
    const top = open.at(-1);
    if (isDone) return { brokenAt: start, members };
    if (top?.kind === "{" && text !== undefined && (top.wants === "first" || top.wants === "name")) {
      top.path = String(JSON.parse(text));
      members.set(open.flatMap(({ kind, path }) => (kind === "{" ? [path] : [])).join("."), start);
      top.wants = "colon";
    } else if (top?.wants === "colon" && mark === ":") top.wants = "value";
    else if (top?.wants === "comma" && mark === ",") top.wants = top.kind === "{" ? "name" : "value";
    else if (top !== undefined && isEnd(top, mark)) {
      open.pop();
      isDone = endValue(open);
    } else if (!wantsValue(top)) return { brokenAt: start, members };
    else if (mark === "{" || mark === "[") open.push({ kind: mark, path: "", wants: "first" });
    else if (text !== undefined || plain !== undefined) isDone = endValue(open);
    else return { brokenAt: start, members };
  }
}

function isEnd({ kind, wants }: Open, mark: string | undefined): boolean {
  return mark === (kind === "{" ? "}" : "]") && (wants === "first" || wants === "comma");
}

function wantsValue(top: Open | undefined): boolean {
  return top === undefined || top.wants === "value" || (top.kind === "[" && top.wants === "first");
}

/** Whether that was the whole of it. */
function endValue(open: readonly Open[]): boolean {
  const top = open.at(-1);
  if (top !== undefined) top.wants = "comma";
  return top === undefined;
}

/** From 1, as editors count. */
export function sayLine(source: string, at: number): string {
  const before = source.slice(0, at).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
