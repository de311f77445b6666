import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { InputError, UnavailableError } from "../../src/core/errors.ts";
import { expectHostDone, runHostProgram } from "../../src/cli/host-program.ts";
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

  it("that refused is refused here, and one that could not tell is not", () => {
    expect(() => expectHostDone(0, "it did not", "again")).not.toThrow();
    expect(() => expectHostDone(2, "it did not", "again")).toThrow(InputError);
    expect(() => expectHostDone(3, "it did not", "again")).toThrow(UnavailableError);
  });
});
