export interface Deadline {
  /** From the first kill on. */
  begin(): void;
  cancel(): void;
  /** Never resolves: rejects when the time is over. */
  readonly passed: Promise<never>;
}

/** `explain` says, when the time is over, what did not happen. */
export function createDeadline(ms: number, explain: () => Promise<string>): Deadline {
  let timer: NodeJS.Timeout | null = null;
  let reject: (error: Error) => void = () => undefined;
  const passed = new Promise<never>((_, no) => {
    reject = no;
  });
  // absence is the answer: whoever waits for it gets the rejection; this is for when nobody does any more
  passed.catch(() => undefined);
  return {
    begin: () => {
      timer ??= setTimeout(() => void explain().then((why) => reject(new Error(why)), reject), ms);
    },
    cancel: () => {
      if (timer !== null) clearTimeout(timer);
    },
    passed,
  };
}
