import { describe, expect, it } from "vitest";
import { readGoByGrammar } from "../../../src/source/imports/go-grammar.ts";
import { createRustParser } from "../../../src/source/imports/load-rust-grammar.ts";
import { readThreadMs } from "../../../src/source/imports/thread-time.ts";
import { createCpuLimit, parseLimits, parseWithin } from "../../../src/source/imports/parse-within.ts";
import { readByGrammar } from "../../../src/source/imports/python-grammar.ts";
import { createRustReader } from "../../../src/source/imports/rust.ts";

const long = " ".repeat(parseLimits.characters + 1);

describe("a file that a grammar would read for long (case 53)", () => {
  it("is refused by its size before it is read, and the limit is named: in all three languages", async () => {
    const [rust, next] = await createRustReader().readImports([
      { path: "src/a.rs", text: long },
      { path: "src/b.rs", text: "use base::x;\n" },
    ]);
    const why = `it has more than ${parseLimits.characters} characters`;
    expect(rust).toEqual({
      imports: [],
      findings: [{ severity: "error", line: 0, message: `cannot be read, so its imports are not known: ${why}` }],
    });
    expect(next?.imports).toHaveLength(1);
    expect((await readGoByGrammar(long)).faults).toEqual([{ line: 0, message: why }]);
    expect((await readByGrammar(long)).fault).toEqual({ line: 0, message: why });
  });

  it("is left at its time on the processor, and the parser reads the next one", async () => {
    const parser = await createRustParser();
    const text = "}{)(][;".repeat(20_000);
    const left = parseWithin(parser, text, { characters: text.length, cpuMs: 1 });
    expect(left).toEqual({ kind: "refused", why: "it could not be read in 1 ms of processor time" });
    const read = parseWithin(parser, "use a::b;\n");
    expect(read.kind === "tree" && read.tree.rootNode.hasError).toBe(false);
    parser.delete();
  });
});

describe("the time of one parse", () => {
  /** One clock of the process, and one of the thread that parses. */
  function raise(cpuMs: number) {
    const clock: { process: number; thread: number | null } = { process: 0, thread: 0 };
    const isOver = createCpuLimit(cpuMs, { processMs: () => clock.process, threadMs: () => clock.thread });
    return { clock, isOver };
  }

  it("is that of its thread: parses beside it in the same process count for nobody else's file", () => {
    const { clock, isOver } = raise(5_000);
    for (let step = 1; step <= 100; step += 1) {
      clock.process = step * 500;
      clock.thread = step * 30;
      expect(isOver()).toBe(false);
    }
    clock.process = 60_000;
    clock.thread = 5_031;
    expect(isOver()).toBe(true);
  });

  it("is that of the process where the system does not say the thread's", () => {
    const { clock, isOver } = raise(5_000);
    clock.thread = null;
    clock.process = 5_000;
    expect(isOver()).toBe(false);
    clock.process = 5_001;
    expect(isOver()).toBe(true);
  });

  it.runIf(process.platform === "linux")("is said by Linux of the thread that asks", () => {
    const before = readThreadMs() ?? Number.NaN;
    const until = process.cpuUsage().user + 50_000;
    while (process.cpuUsage().user < until);
    expect((readThreadMs() ?? Number.NaN) - before).toBeGreaterThan(0);
  });
});
