import { EventEmitter } from "node:events";
import { expect, it, onTestFinished, vi } from "vitest";
import { UnavailableError } from "../../src/core/errors.ts";
import { createContext } from "../../src/cli/real-context.ts";

class Output extends EventEmitter {
  readonly isTTY = false;
  readonly written: string[] = [];
  write(text: string): void {
    this.written.push(text);
  }
}

/** A process whose output the test breaks, and whose end it sees. */
class FakeProcess extends EventEmitter {
  readonly stdout = new Output();
  readonly stderr = new Output();
  readonly env = {};
  readonly exit = vi.fn<(code: number) => void>();
  cwd(): string {
    return "/nowhere";
  }
}

function open() {
  const process = new FakeProcess();
  return { process, context: createContext(process as unknown as NodeJS.Process) };
}

const broken = (code: string): Error => Object.assign(new Error(`write ${code}`), { code });

it.each([
  ["EPIPE", 3],
  ["EIO", 3],
  ["ENOSPC", 2],
])("a command that has begun nothing ends at once where its output goes away: %s (R48)", (code, expected) => {
  const { process } = open();
  process.stdout.emit("error", broken(code));
  expect(process.exit).toHaveBeenCalledExactlyOnceWith(expected);
});

it.each(["stdout", "stderr"] as const)(
  "one that ends in order what it began is asked to, where its %s goes away, and then says that nobody read it (R48)",
  (name) => {
    const { process, context } = open();
    const interrupt = context.listenForInterrupt();
    expect(context.lostOutputCode()).toBeNull();
    process[name].emit("error", broken("EPIPE"));
    expect(process.exit).not.toHaveBeenCalled();
    expect(interrupt.aborted).toBe(true);
    // What is said while it ends what it began must not end it a second time.
    context[name].write("ending what this command started\n");
    expect(process[name].written).toEqual([]);
    const other = name === "stdout" ? "stderr" : "stdout";
    context[other].write("said\n");
    expect(process[other].written).toEqual(["said\n"]);
    expect(context.lostOutputCode()).toBe(3);
  },
);

it("a process that must end has said why and ended in time, whatever it still waits for (R34, R48)", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { process, context } = open();
  context.endWithin(1_000, new UnavailableError("the lease is lost", "mesh status --wait"));
  vi.advanceTimersByTime(999);
  expect(process.exit).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(process.stderr.written).toEqual(["mesh: the lease is lost\n  next: mesh status --wait\n"]);
  expect(process.exit).toHaveBeenCalledExactlyOnceWith(3);
});
