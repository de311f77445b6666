import type { Design } from "./designs.ts";
import { firstState, listSteps, type State } from "./model.ts";

export type SearchResult =
  | { readonly kind: "holds"; readonly states: number }
  /** The shortest way there is, in words. */
  | { readonly kind: "broken"; readonly invariant: string; readonly trace: readonly string[]; readonly states: number };

interface Visited {
  readonly state: State;
  readonly from: Visited | null;
  readonly words: string;
}

/** Breadth first: the first violation that is found has a shortest trace. Throws past the limit: then nothing is known. */
export function search(design: Design, limit = 3_000_000): SearchResult {
  const seen = new Set<string>([keyOf(firstState)]);
  let frontier: Visited[] = [{ state: firstState, from: null, words: "" }];
  while (frontier.length > 0) {
    const next: Visited[] = [];
    for (const visited of frontier) {
      for (const step of listSteps(design, visited.state)) {
        const reached = { state: step.state, from: visited, words: step.words };
        if (step.broken !== null)
          return { kind: "broken", invariant: step.broken, trace: traceOf(reached), states: seen.size };
        const key = keyOf(step.state);
        if (seen.has(key)) continue;
        seen.add(key);
        if (seen.size > limit) throw new Error(`more than ${limit} states: ${design.name} was not searched to the end`);
        next.push(reached);
      }
    }
    frontier = next;
  }
  return { kind: "holds", states: seen.size };
}

function traceOf(visited: Visited): string[] {
  const words: string[] = [];
  for (let at: Visited | null = visited; at !== null; at = at.from) if (at.words !== "") words.unshift(at.words);
  return words;
}

/** In which order letters were sent, or attempts begun, decides nothing once they are there: any may come next. */
function keyOf({ store, wish, controllers, mail, host, granted }: State): string {
  const mark = host.mark === null ? "-" : `${host.mark.order.epoch}.${host.mark.order.number}v${host.wish}`;
  return `${sayStore(store)};${wish};${controllers.map(sayController).join("|")};${sayMail(mail)};${mark};${sayGranted(granted)}`;
}

function sayStore({ epoch, floor, number, lease, grants }: State["store"]): string {
  return `${epoch},${floor},${number},${lease === null ? "-" : `${lease.holder}${lease.epoch}`},${grants}`;
}

function sayController({ epoch, isInTime, attempts }: State["controllers"][number]): string {
  const each = attempts.map((one) => `(${one.number},${one.read})`).toSorted();
  return `${epoch}${isInTime ? "t" : "f"}${each.join("")}`;
}

function sayMail(mail: State["mail"]): string {
  return mail
    .map((one) => `${one.epoch}.${one.number}v${one.wish}`)
    .toSorted()
    .join();
}

function sayGranted(granted: State["granted"]): string {
  return `${Math.max(0, ...granted)}#${granted.length}`;
}
