import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { askHostProgram, runHostProgram } from "../../src/cli/host-program.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** A program in the host's place. */
async function programOf(code: string): Promise<string> {
  const file = join(await createTemporaryFolder(), "host.cjs");
  await writeFile(file, code);
  return file;
}

describe("the host program in the foreground (R48)", () => {
  it.each([0, 2, 3])("its own code %i is ours", async (code) => {
    const file = await programOf(`process.exit(${code})`);
    expect(await runHostProgram([], { file })).toBe(code);
  });

  it("that somebody killed is *cannot tell*, and no word about a token", async () => {
    const file = await programOf(`process.kill(process.pid, "SIGKILL")`);
    await expect(runHostProgram([], { file })).rejects.toMatchObject({
      name: "UnavailableError",
      message: "the host program was ended by SIGKILL",
    });
  });

  it("that an interrupt ended says that it was one", async () => {
    const file = await programOf(`setInterval(() => {}, 1000)`);
    const interrupt = new AbortController();
    const running = runHostProgram([], { file, signal: interrupt.signal });
    interrupt.abort();
    await expect(running).rejects.toMatchObject({ name: "UnavailableError", message: /interrupted/ });
  });

  const ask = async (code: string) => {
    const notes: string[] = [];
    const file = await programOf(code);
    const options = { file, what: "the host did not enrol", note: (text: string) => notes.push(text) };
    const ended = await askHostProgram([], options).catch((error: unknown) => error);
    return { ended, notes: notes.join("") };
  };
  const said = (text: string, code: number) =>
    `process.stderr.write(${JSON.stringify(text)}); process.exitCode = ${code};`;

  it.each([
    [2, "InputError"],
    [3, "UnavailableError"],
  ])("that failed with %i says why and what to do, as it said them itself", async (code, name) => {
    const words = "mesh-host: others may read the token\nmesh-host: already enrolled as a\nGive it another --dir.\n";
    expect(await ask(said(words, code))).toMatchObject({
      ended: { name, message: "the host did not enrol: already enrolled as a", next: "Give it another --dir." },
      notes: "mesh-host: others may read the token\n",
    });
  });

  it("that failed without a word of its own has failed all the same, and what it printed is there", async () => {
    expect(await ask(said("a stack\n", 2))).toMatchObject({
      ended: { name: "InputError", message: "the host did not enrol", next: "" },
      notes: "a stack\n",
    });
  });

  it("that is done has its notes printed", async () => {
    const notes = "mesh-host: others may read the token\n";
    expect(await ask(said(notes, 0))).toEqual({ ended: 0, notes });
  });
});
