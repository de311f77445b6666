import { UnavailableError } from "../core/errors.ts";
import type { ObjectId } from "../core/names.ts";
import type { Repository } from "../source/repository.ts";
import { createRests, type Surroundings } from "./rests-of-sources.ts";

export interface FetchBounds {
  /** Sources that one comparison fetches from at once: each is a process of git. */
  readonly atOnce: number;
  /** A comparison waits for one source for so long, and then goes on without what it has. */
  readonly patienceMs: number;
  /** So many fetches may go on after that, until git's own limit ends them: a large clone comes here in the end. */
  readonly lateAtOnce: number;
  /** What hung again and again is left alone for so long at most, and for `patienceMs` at first. */
  readonly restLongestMs: number;
}

export const fetchBounds: FetchBounds = { atOnce: 8, patienceMs: 30_000, lateAtOnce: 4, restLongestMs: 600_000 };

export interface WantedTip {
  /** `headKey`. */
  readonly head: string;
  readonly branch: string;
  readonly commit: ObjectId;
}

/** By `headKey`: null: it is here; why not, otherwise. */
export type FetchAnswers = ReadonlyMap<string, Error | null>;

/** Tips that are here, so that nobody asks for them again. */
export function listBrought(
  wanted: ReadonlyMap<Repository, readonly WantedTip[]>,
  answers: FetchAnswers,
): { readonly repository: Repository; readonly commit: ObjectId }[] {
  return [...wanted].flatMap(([repository, tips]) =>
    tips.flatMap(({ head, commit }) => (answers.get(head) === null ? [{ repository, commit }] : [])),
  );
}

/** Fetches of one process, over its comparisons. */
export interface FetchDesk {
  /**
   * Brings tips of several sources here, a bounded number of sources at once. A source that does not answer in time keeps no
   * other waiting. Throws the signal's reason when it is aborted, with every git that it was waiting for killed.
   */
  fetchAll(wanted: ReadonlyMap<Repository, readonly WantedTip[]>, signal: AbortSignal): Promise<FetchAnswers>;
}

/** `isAnswer`: an error that is one source's own; every other one ends the whole. */
export function createFetchDesk(
  bounds: FetchBounds,
  isAnswer: (error: unknown) => error is Error,
  surroundings: Surroundings = { nowMs: () => performance.now(), random: Math.random },
): FetchDesk {
  /** By folder of the clone: what goes on though nobody waits. */
  const late = new Set<string>();
  const rests = createRests(bounds, surroundings);
  const seconds = bounds.patienceMs / 1000;

  async function fetchOne(
    repository: Repository,
    tips: readonly WantedTip[],
    signal: AbortSignal,
  ): Promise<FetchAnswers> {
    const answers = new Map<string, Error | null>();
    const say = (why: string, next: string): void => {
      const error = new UnavailableError(`repository ${repository.url} ${why}`, next);
      for (const { head } of tips) if (!answers.has(head)) answers.set(head, error);
    };
    const asked = new AbortController();
    const fetching = fetchTips(repository, tips, { signal: asked.signal, answers, isAnswer });
    const cancel = (): void => asked.abort(signal.reason);
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      if (await isOver(fetching, bounds.patienceMs)) {
        rests.end(repository.dir);
        return answers;
      }
    } finally {
      signal.removeEventListener("abort", cancel);
    }
    if (late.size >= bounds.lateAtOnce) {
      const others = `${bounds.lateAtOnce} others are still being fetched`;
      const rest = rests.begin(repository.dir);
      say(
        `was stopped: it did not send its commit within ${seconds} s, and ${others}; it is left alone for about ${rest} s`,
        "A look after that asks it again.",
      );
      asked.abort(new Error("nobody waits for it"));
      // absence is the answer: why it was stopped is said above
      await fetching.catch(() => undefined);
      return answers;
    }
    say(
      `did not send its commit within ${seconds} s, and is still being fetched`,
      "A look after that takes it; see that its network is not in the way.",
    );
    const said = new Map(answers);
    late.add(repository.dir);
    const end = (): void => {
      late.delete(repository.dir);
      // It came, or its git ended without: then what follows would wait for it as long again.
      if (tips.every(({ head }) => answers.get(head) === null)) rests.end(repository.dir);
      else rests.begin(repository.dir);
    };
    // absence is the answer: whoever looks next asks again, and is told
    void fetching.catch(() => undefined).finally(end);
    return said;
  }

  return {
    fetchAll: (wanted, signal) =>
      fetchEach(wanted, bounds.atOnce, (repository, tips) => {
        const why = late.has(repository.dir) ? "is still being fetched" : rests.why(repository.dir);
        return why === null ? fetchOne(repository, tips, signal) : Promise.resolve(sayOfAll(repository, tips, why));
      }),
  };
}

async function fetchEach(
  wanted: ReadonlyMap<Repository, readonly WantedTip[]>,
  atOnce: number,
  fetchOne: (repository: Repository, tips: readonly WantedTip[]) => Promise<FetchAnswers>,
): Promise<FetchAnswers> {
  const answers = new Map<string, Error | null>();
  const left = [...wanted];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      for (const [head, answer] of await fetchOne(...next)) answers.set(head, answer);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return answers;
}

function sayOfAll({ url }: Repository, tips: readonly WantedTip[], why: string): FetchAnswers {
  const error = new UnavailableError(`repository ${url} ${why}`, "A look after that takes it.");
  return new Map(tips.map(({ head }) => [head, error]));
}

async function fetchTips(
  repository: Repository,
  tips: readonly WantedTip[],
  {
    signal,
    answers,
    isAnswer,
  }: {
    readonly signal: AbortSignal;
    readonly answers: Map<string, Error | null>;
    readonly isAnswer: (error: unknown) => error is Error;
  },
): Promise<void> {
  for (const { head, branch, commit } of tips) {
    try {
      await repository.fetchCommits([{ branch, commit }], signal);
      answers.set(head, null);
    } catch (error) {
      if (!isAnswer(error)) throw error;
      answers.set(head, error);
    }
  }
}

/** False: it was not over within the time, and goes on. */
async function isOver(work: Promise<void>, waitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), waitMs);
  });
  try {
    return await Promise.race([work.then((): true => true), time]);
  } finally {
    clearTimeout(timer);
  }
}
