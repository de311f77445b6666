/**
 * A function that reads, and gives the same for the same answers, need not run twice: what it asks first is always the
 * same, and what it asks next depends on the answers so far. So its runs are a tree, asked along the answers of today.
 */
export interface ReadTree<Question, Result> {
  /** The result for today's answers, or null; and where to go on from. */
  find(answer: (question: Question) => AnswerKey): Result | null;
  keep(asked: readonly Asked<Question>[], result: Result): void;
}

/** By identity for objects. */
export type AnswerKey = string | number | object | null | undefined;

export interface Asked<Question> {
  readonly question: Question;
  readonly key: AnswerKey;
}

interface Branch<Question, Result> {
  question: Question | null;
  readonly next: Map<AnswerKey, Branch<Question, Result>>;
  result: Result | null;
}

/** `limit`: so many results are kept; then it begins anew. */
export function createReadTree<Question, Result>(limit: number): ReadTree<Question, Result> {
  let root = createBranch<Question, Result>();
  let count = 0;
  return {
    find(answer) {
      let branch: Branch<Question, Result> | undefined = root;
      while (branch !== undefined && branch.question !== null) branch = branch.next.get(answer(branch.question));
      return branch?.result ?? null;
    },
    keep(asked, result) {
      if (count >= limit) {
        root = createBranch();
        count = 0;
      }
      count += 1;
      let branch = root;
      for (const { question, key } of asked) {
        branch.question = question;
        const next = branch.next.get(key) ?? createBranch<Question, Result>();
        branch.next.set(key, next);
        branch = next;
      }
      branch.result = result;
    },
  };
}

function createBranch<Question, Result>(): Branch<Question, Result> {
  return { question: null, next: new Map(), result: null };
}
