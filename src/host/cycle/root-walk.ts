import { verifyNextRoot } from "../../link/next-root.ts";
import { whyExpired, type Root } from "../../link/root.ts";
import type { Controller } from "../controller.ts";
import { describeFailure } from "../describe-failure.ts";
import type { Log } from "../log.ts";
import type { NewRefusal } from "../state/refusals.ts";

/** What became of one look for newer roots. Whatever is not `moved` has left everything as it was. */
export type Walked = "moved" | "newest" | "refused" | "no-answer" | "not-written";

/** The root that this host goes by, and how it comes to a newer one. */
export interface RootWalk {
  readonly root: Root;
  /** From the root that is here to the newest: N+1, N+2, … each signed by the threshold of the one before and its own. */
  walk(signal?: AbortSignal): Promise<Walked>;
}

export interface RootWalkOptions {
  readonly root: Root;
  readonly controller: Pick<Controller, "fetchRoot">;
  /** Durable and whole when it returns, or it threw and the old one is still there. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly nowMs: () => number;
  readonly log: Log;
  /** Refused, or could not be written down. */
  readonly onRefused: (refusal: NewRefusal) => Promise<void>;
  /** The root that is here is the newest: whatever was refused before is there no more. */
  readonly onNewest: () => Promise<void>;
}

/** A mesh that changes its root once a week for ten years has half as many; what is left is walked at the next look. */
const longestWalk = 1_000;

interface Step {
  readonly root: Root;
  readonly bytes: Uint8Array;
}

export function createRootWalk(options: RootWalkOptions): RootWalk {
  let { root } = options;
  let running: Promise<Walked> | null = null;
  const walkOnce = async (signal: AbortSignal | undefined): Promise<Walked> => {
    const { newest, end } = await findNewest(options, root, signal);
    const kept = newest === null ? end : await keep(options, newest);
    if (newest !== null && kept === "moved") {
      options.log.info("root replaced", { from: root.version, to: newest.root.version });
      root = newest.root;
    }
    if (end === "newest" && (kept === "moved" || kept === "newest")) await options.onNewest();
    return kept;
  };
  return {
    get root() {
      return root;
    },
    // One at a time: who asks while one is under way gets what that one finds.
    walk: (signal) =>
      (running ??= walkOnce(signal).finally(() => {
        running = null;
      })),
  };
}

/** As far as every step is good. One that is not is said; what came before it still counts. */
async function findNewest(
  options: RootWalkOptions,
  from: Root,
  signal: AbortSignal | undefined,
): Promise<{ readonly newest: Step | null; readonly end: Exclude<Walked, "moved"> }> {
  let newest: Step | null = null;
  for (let steps = 0; steps < longestWalk; steps += 1) {
    const have: Root = newest?.root ?? from;
    const bytes = await fetchRoot(options, have.version + 1, signal);
    if (bytes === "no-answer") return { newest, end: bytes };
    if (bytes === null) return { newest, end: "newest" };
    const next = verifyNextRoot(bytes, { have });
    if (!next.ok) {
      await options.onRefused(sayRefused(have.version + 1, `${next.reason}: ${next.message}`));
      return { newest, end: "refused" };
    }
    newest = { root: next.root, bytes };
  }
  return { newest, end: "newest" };
}

async function fetchRoot(
  { controller, log }: RootWalkOptions,
  version: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | null | "no-answer"> {
  try {
    return await controller.fetchRoot(version, signal);
  } catch (error) {
    // absence is the answer: the host stops, that is why the request ended.
    if (signal?.aborted === true) return "no-answer";
    log.warn("no answer about a newer root: going on with the one that is here", {
      version,
      why: describeFailure(error),
    });
    return "no-answer";
  }
}

/** An expired root may be walked over; none is rested on. */
async function keep(options: RootWalkOptions, { root, bytes }: Step): Promise<"moved" | "refused" | "not-written"> {
  const expired = whyExpired(root, options.nowMs());
  if (expired !== null) {
    await options.onRefused(sayRefused(root.version, `expired: ${expired}, and no newer one is there`));
    return "refused";
  }
  try {
    await options.write(bytes);
    return "moved";
  } catch (error) {
    await options.onRefused(sayRefused(root.version, `it cannot be written down: ${describeFailure(error)}`));
    return "not-written";
  }
}

function sayRefused(version: number, why: string): NewRefusal {
  return { check: "root", message: `root ${version}: ${why}`, offered: null };
}
