import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BuildJob, publicRegistries } from "../../src/build/builders/builder.ts";
import { fetchWheels } from "../../src/build/builders/python-fetch.ts";
import type { PythonToolchain } from "../../src/build/builders/python-toolchain.ts";
import { sandboxLimits, type SandboxResult, type SandboxRun } from "../../src/build/sandbox.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const wheel = "what a registry has";
const line = `a==1 --hash=sha256:${createHash("sha256").update(wheel).digest("hex")}`;
const toolchain: PythonToolchain = {
  python: { executable: "/usr/bin/python3", base: "/usr", version: "3.11.2", minor: "3.11" },
  pip: { version: "23", path: "/usr/pip", isWheel: false },
  mounts: [],
  pipPath: "/toolchain/pip/pip",
};

async function createJob(run: BuildJob["sandbox"]["run"]): Promise<BuildJob> {
  return {
    module: "core",
    root: await createTemporaryFolder(),
    dependencies: [],
    cache: await createTemporaryFolder(),
    registries: publicRegistries,
    sandbox: { promises: [], run },
    limits: sandboxLimits,
    signal: undefined,
    onStep: () => undefined,
    log: () => undefined,
  };
}

describe("kept wheels", () => {
  it("that the disk changed or lost are fetched again, and are nobody's fault (R11)", async () => {
    let fetches = 0;
    const job = await createJob(async ({ mounts }: SandboxRun): Promise<SandboxResult> => {
      fetches += 1;
      const folder = mounts.find(({ to }) => to === "/fetch")?.from ?? "";
      await writeFile(join(folder, "kept", "wheels", "a-1-py3-none-any.whl"), wheel);
      return { kind: "exited", code: 0, stdout: "", log: "" };
    });
    const fetch = async (): Promise<string> => {
      const fetched = await fetchWheels(job, toolchain, "locked packages", [line]);
      if (fetched.kind !== "fetched") throw new Error(JSON.stringify(fetched));
      return fetched.wheels;
    };
    const kept = await fetch();
    expect([await fetch(), fetches]).toEqual([kept, 1]);
    const [name = ""] = await readdir(kept);
    await writeFile(join(kept, name), "");
    expect([await fetch(), fetches]).toEqual([kept, 2]);
    expect(await readFile(join(kept, name), "utf8")).toBe(wheel);
    await rm(join(kept, name));
    expect([await fetch(), fetches]).toEqual([kept, 3]);
    expect(await readdir(kept)).toEqual([name]);
  });
});

describe("a locked version that pip does not find (R11)", () => {
  const failed = "ERROR: No matching distribution found for a-b==2.0\n";
  const skipped = (why: string, file: string, needs: string): string =>
    `2026-11-30T21:44:12,187   Skipping link: ${why}: https://files.test/${file} (from https://pypi.test/a-b/) (requires-python:${needs})\n`;
  const tags = "none of the wheel's tags (cp313-cp313-manylinux_2_17_x86_64) are compatible";
  const judge = async (said: string): Promise<unknown> => {
    const job = await createJob(async ({ mounts }) => {
      await writeFile(join(mounts.find(({ to }) => to === "/fetch")?.from ?? "", "pip.log"), said);
      return { kind: "exited", code: 1, stdout: "", log: failed };
    });
    const found = await fetchWheels(job, toolchain, "locked packages", [line]);
    return found.kind === "judged" ? found.verdict : found;
  };

  it.each([
    ["by its metadata", skipped("2.0 Requires-Python >=3.12", "a_b-2.0-py3-none-any.whl", ">=3.12")],
    ["by its tags", skipped(tags, "a_b-2.0-cp313-cp313-manylinux_2_17_x86_64.whl", "<4,>=3.13")],
    [
      "by its metadata, an older one",
      skipped("2.0 Requires-Python >=3.8,<3.11", "a_b-2.0-py3-none-any.whl", ">=3.8,<3.11"),
    ],
    ["by its tags, an older one", skipped(tags, "a_b-2.0-cp310-cp310-manylinux_2_17_x86_64.whl", ">=3.8,<3.11")],
    [
      "in words that are not ours to read",
      skipped("2.0 Requires-Python >=three", "a_b-2.0-py3-none-any.whl", ">=three"),
    ],
  ])("asks for another Python %s: outstanding, for the machine's tools are not those", async (_what, said) => {
    expect(await judge(said)).toEqual({
      verdict: "outstanding",
      class: "toolchain",
      message: expect.stringMatching(
        /a-b 2\.0 \(requires-python:.*(3\.1[123]|three)\)\nThis machine builds with Python 3\.11\.2: install/,
      ),
    });
  });

  it.each([
    ["is not there", ""],
    ["is there for other platforms", skipped(tags, "a_b-2.0-cp311-cp311-win_amd64.whl", ">=3.8")],
    [
      "is there for other platforms only, in words that cannot be read",
      skipped(tags, "a_b-2.0-cp311-cp311-win_amd64.whl", "3"),
    ],
    ["is not there, and another one asks for a newer Python", skipped("x", "a_b-2.1-py3-none-any.whl", ">=3.12")],
  ])("%s: unfit, a commit mends it", async (_what, said) => {
    expect(await judge(said)).toMatchObject({ verdict: "unfit", stage: "compile" });
  });
});
