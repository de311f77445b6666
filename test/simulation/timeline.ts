/**
 * Virtual time. Events happen in the order of (time, sequence); between two of them everything that was promised runs to
 * its end. A process is what can be killed (its events never come) or paused (they come when it goes on).
 */
export interface Timeline {
  readonly nowMs: number;
  /** Counts events: the same seed gives the same count. */
  readonly events: number;
  /** `act` may answer `idle`: no promise can go on because of it. */
  at(delayMs: number, act: () => unknown, owner?: Process): () => void;
  /** As `at`, for what is never taken back. */
  plan(delayMs: number, act: () => unknown, owner?: Process): void;
  /** Resolves after `delayMs`; never, where the owner is killed before. */
  pass(delayMs: number, owner?: Process): Promise<void>;
  /** Until nothing is left, or `untilMs`. `onEvent` after each: checks look there. */
  run(untilMs: number, onEvent: () => void): Promise<void>;
}

export interface Process {
  readonly name: string;
  isKilled: boolean;
  isPaused: boolean;
  /** What came while it was paused. */
  readonly held: (() => unknown)[];
}

export function createProcess(name: string): Process {
  return { name, isKilled: false, isPaused: false, held: [] };
}

/** Most of what happens is somebody who looks and sees nothing new: after that nobody needs to be waited for. */
export const idle = Symbol("idle");

interface Event {
  readonly atMs: number;
  readonly sequence: number;
  readonly act: () => unknown;
  readonly owner: Process | null;
  isCancelled: boolean;
}

export function createTimeline(): Timeline {
  const heap: Event[] = [];
  let nowMs = 0;
  let sequence = 0;
  let events = 0;
  const now = Promise.resolve();
  const plan = (delayMs: number, act: () => unknown, owner: Process | null): Event => {
    sequence += 1;
    const event: Event = { atMs: nowMs + Math.max(0, delayMs), sequence, act, owner, isCancelled: false };
    push(heap, event);
    return event;
  };
  return {
    get nowMs() {
      return nowMs;
    },
    get events() {
      return events;
    },
    at(delayMs, act, owner) {
      const event = plan(delayMs, act, owner ?? null);
      return () => {
        event.isCancelled = true;
      };
    },
    plan: (delayMs, act, owner) => void plan(delayMs, act, owner ?? null),
    pass: (delayMs, owner) =>
      new Promise((resolve) => {
        plan(delayMs, resolve, owner ?? null);
      }),
    run: (untilMs, onEvent) =>
      new Promise((resolve, reject) => {
        const orReject = (act: () => void) => (): void => {
          try {
            act();
          } catch (error) {
            reject(error);
          }
        };
        // A tick that is asked for by a promise comes once no promise is left that can go on. Nothing here waits for the
        // world outside, so the event loop, which costs many times more, is not needed.
        const next = orReject(() => {
          for (let event = pop(heap, untilMs); event !== null; event = pop(heap, untilMs)) {
            nowMs = event.atMs;
            if (event.isCancelled || event.owner?.isKilled === true) continue;
            if (event.owner?.isPaused === true) {
              event.owner.held.push(event.act);
              continue;
            }
            events += 1;
            if (event.act() === idle) continue;
            process.nextTick(settled);
            return;
          }
          nowMs = untilMs;
          resolve();
        });
        const settled = orReject(() => {
          onEvent();
          // Not queueMicrotask: that makes an asynchronous resource for each call.
          void now.then(next);
        });
        void now.then(() => process.nextTick(settled));
      }),
  };
}

export function pauseProcess(process: Process): void {
  process.isPaused = true;
}

/** What was due while it stood still is due at once, in the order it came. */
export function resumeProcess(timeline: Timeline, process: Process): void {
  process.isPaused = false;
  for (const act of process.held.splice(0)) timeline.at(0, act, process);
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs === b.atMs ? a.sequence < b.sequence : a.atMs < b.atMs;
}

function push(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || !isBefore(event, parent)) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = event;
}

function pop(heap: Event[], untilMs: number): Event | null {
  const first = heap[0];
  if (first === undefined || first.atMs > untilMs) return null;
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let below = at * 2 + 1;
    let child = heap[below];
    const right = heap[below + 1];
    if (child === undefined) break;
    if (right !== undefined && isBefore(right, child)) {
      below += 1;
      child = right;
    }
    if (!isBefore(child, last)) break;
    heap[at] = child;
    at = below;
  }
  heap[at] = last;
  return first;
}
