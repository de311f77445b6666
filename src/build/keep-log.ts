/** What a build prints, whole where it is small, else its beginning and its end. */
export interface BuildLog {
  add(text: string): void;
  /** At most `limitBytes` and one line that says what is left out. */
  read(): Buffer;
  /** The end of it, at most so many bytes. */
  tail(bytes: number): string;
}

/** Of a log that is kept: begin and end together. */
const logLimitBytes = 8 * 1024 ** 2;

export function createBuildLog(limitBytes = logLimitBytes): BuildLog {
  const half = Math.floor(limitBytes / 2);
  const head: Buffer[] = [];
  const tail: Buffer[] = [];
  let headBytes = 0;
  let tailBytes = 0;
  let leftOut = 0;
  const addToTail = (bytes: Buffer): void => {
    tail.push(bytes);
    tailBytes += bytes.length;
    for (let [first] = tail; first !== undefined && tailBytes > half; [first] = tail) {
      const drop = Math.min(first.length, tailBytes - half);
      if (drop === first.length) tail.shift();
      else tail[0] = first.subarray(drop);
      tailBytes -= drop;
      leftOut += drop;
    }
  };
  const gap = (): Buffer =>
    Buffer.from(leftOut === 0 ? "" : `\n… ${leftOut} bytes are left out here: a log is kept up to ${limitBytes}\n`);
  return {
    add: (text) => {
      const bytes = Buffer.from(text, "utf8");
      const toHead = Math.min(bytes.length, half - headBytes);
      if (toHead > 0) head.push(bytes.subarray(0, toHead));
      headBytes += toHead;
      if (toHead < bytes.length) addToTail(bytes.subarray(toHead));
    },
    read: () => Buffer.concat([...head, gap(), ...tail]),
    tail: (bytes) =>
      Buffer.concat([...head, gap(), ...tail])
        .subarray(-bytes)
        .toString("utf8"),
  };
}
