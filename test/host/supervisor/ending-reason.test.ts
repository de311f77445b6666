import { execFile } from "node:child_process";
import { describe, expect, it } from "vitest";
import { chooseEndingReason } from "../../../src/host/supervisor/ending-reason.ts";

/** What a program really prints; it is expected to fail. */
function outputOf(program: string, ...words: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, words, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
}

const pythonOutput = `Traceback (most recent call last):
  File "/srv/main.py", line 5, in <module>
    f()
  File "/srv/main.py", line 3, in f
    return int("x")
ValueError: invalid literal for int() with base 10: 'x'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/main.py", line 7, in <module>
    raise RuntimeError("bad setting") from e
RuntimeError: bad setting
`;

describe("the reason of an ending", () => {
  it.each([
    [`throw new Error("outer", { cause: new TypeError("inner") })`, "Error: outer"],
    [`require("node:net").connect(1, "127.0.0.1")`, "Error: connect ECONNREFUSED 127.0.0.1:1"],
    [`require("./nothing")`, "Error: Cannot find module './nothing'"],
    [`throw "boom"`, "boom"],
    [`console.log("ready"); require("node:fs").readFileSync("/nowhere/at-all")`, "Error: ENOENT: no such file"],
    [`Promise.reject("why")`, "UnhandledPromiseRejection: This error originated"],
    [`const a = 1; a = 2`, "TypeError: Assignment to constant variable."],
  ])("of Node: %s", async (script, reason) => {
    const output = await outputOf(process.execPath, "-e", script);
    expect(output).toContain("Node.js v");
    expect(chooseEndingReason(output).startsWith(reason)).toBe(true);
  });

  it("of a shell script is its last word", async () => {
    const script = "echo starting; cd /nowhere/at-all || { echo; echo 'giving up: no data folder'; echo '}'; exit 3; }";
    expect(chooseEndingReason(await outputOf("/bin/sh", "-c", script))).toMatch(/^giving up|can't cd/);
    expect(chooseEndingReason("starting\nmain.sh: 3: pg_ctl: not found\n\n")).toBe("main.sh: 3: pg_ctl: not found");
  });

  it("of Python is the exception that ended it", () => {
    expect(chooseEndingReason(pythonOutput)).toBe("RuntimeError: bad setting");
  });

  it("of Go and Rust is the panic, not what follows it", () => {
    const go = "panic: no such table\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/main.go:4 +0x1d\nexit status 2\n";
    expect(chooseEndingReason(go)).toBe("panic: no such table");
    const rust = 'Error: Os { code: 2, kind: NotFound, message: "No such file or directory" }\n';
    expect(chooseEndingReason(rust)).toMatch(/^Error: Os/);
  });

  it("is not looked for far above the end", () => {
    expect(chooseEndingReason(`Error: long ago\n${"working\n".repeat(40)}`)).toBe("working");
  });

  it("is empty where nothing was said, and short where much was", () => {
    expect(chooseEndingReason("\n  }\n\nNode.js v20.20.2\n")).toBe("");
    expect(chooseEndingReason("x".repeat(5000))).toHaveLength(200);
  });
});
