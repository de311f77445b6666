import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

export interface Output {
  /** The beginning of stdout, at most 4 MiB. */
  stdout(): string;
  /** The end of both, as they came, at most 64 KiB. */
  log(): string;
}

const stdoutLimit = 4 * 1024 * 1024;
const logLimit = 64 * 1024;

export interface CollectOutput {
  readonly limitBytes: number;
  readonly onTooMuch: () => void;
  /** `answer`: stdout is not handed on. */
  readonly stdout: "answer" | undefined;
  readonly onOutput: ((text: string) => void) | undefined;
  /** Words that are a reason to look at once whether it is so, and who looks. */
  readonly hints: readonly [words: RegExp, look: () => void];
}

/** Reads everything, keeps a bounded part, hands it on, and says when more came than is allowed. */
export function collectOutput(child: ChildProcess, collect: CollectOutput): Output {
  const { limitBytes, onTooMuch, onOutput, hints } = collect;
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let tail = Buffer.alloc(0);
  let bytes = 0;
  const take = (chunk: Buffer): void => {
    bytes += chunk.length;
    tail = Buffer.concat([tail, chunk]).subarray(-logLimit);
    if (bytes > limitBytes) onTooMuch();
    else if (hints[0].test(chunk.toString("latin1"))) hints[1]();
  };
  child.stdout?.on("data", (chunk: Buffer) => {
    take(chunk);
    if (keptBytes < stdoutLimit) kept.push(chunk.subarray(0, stdoutLimit - keptBytes));
    keptBytes += chunk.length;
  });
  child.stderr?.on("data", take);
  const handOn = (stream: Readable | null): void => {
    const decoder = new StringDecoder("utf8");
    stream?.on("data", (chunk: Buffer) => {
      if (bytes <= limitBytes) onOutput?.(decoder.write(chunk));
    });
    stream?.on("end", () => onOutput?.(decoder.end()));
  };
  if (collect.stdout !== "answer") handOn(child.stdout);
  handOn(child.stderr);
  return {
    stdout: () => Buffer.concat(kept).toString("utf8"),
    log: () => tail.toString("utf8"),
  };
}
