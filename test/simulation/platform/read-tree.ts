/**
 * A function that reads, and gives the same for the same answers, need not run twice: what it asks first is always the
 * same, and what it asks next depends on the answers so far. So its runs are a tree, asked along the answers of today.
 */
export interface ReadTree<Place, Result> {
  /** The result for what this place answers today, or null. */
  find(place: Place): Result | null;
  keep(asked: readonly Asked<Place>[], result: Result): void;
}

/** By identity for objects. */
export type AnswerKey = number | object | null | undefined;

export type Question<Place> = (place: Place) => AnswerKey;

export interface Asked<Place> {
  readonly question: Question<Place>;
  readonly key: AnswerKey;
}

/** Most have one answer only: a table is made for the second. */
interface Branch<Place, Result> {
  question: Question<Place> | null;
  key: AnswerKey;
  next: Branch<Place, Result> | null;
  others: Map<AnswerKey, Branch<Place, Result>> | null;
  result: Result | null;
}

export function createReadTree<Place, Result>(): ReadTree<Place, Result> {
  const root = createBranch<Place, Result>();
  return {
    find(place) {
      let branch: Branch<Place, Result> | null = root;
      while (branch !== null && branch.question !== null) branch = nextOf(branch, branch.question(place));
      return branch?.result ?? null;
    },
    keep(asked, result) {
      let branch = root;
      for (const { question, key } of asked) {
        branch.question ??= question;
        branch = nextOf(branch, key) ?? grow(branch, key);
      }
      branch.result = result;
    },
  };
}

function createBranch<Place, Result>(): Branch<Place, Result> {
  return { question: null, key: undefined, next: null, others: null, result: null };
}

function nextOf<Place, Result>(branch: Branch<Place, Result>, key: AnswerKey): Branch<Place, Result> | null {
  if (branch.next !== null && branch.key === key) return branch.next;
  return branch.others?.get(key) ?? null;
}

function grow<Place, Result>(branch: Branch<Place, Result>, key: AnswerKey): Branch<Place, Result> {
  const next = createBranch<Place, Result>();
  if (branch.next === null) {
    branch.key = key;
    branch.next = next;
  } else {
    branch.others ??= new Map();
    branch.others.set(key, next);
  }
  return next;
}
