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

describe("kept wheels", () => {
  it("that the disk changed or lost are fetched again, and are nobody's fault (R11)", async () => {
    const [root, cache] = [await createTemporaryFolder(), await createTemporaryFolder()];
    let fetches = 0;
    const run = async ({ mounts }: SandboxRun): Promise<SandboxResult> => {
      fetches += 1;
      const folder = mounts.find(({ to }) => to === "/fetch")?.from ?? "";
      await writeFile(join(folder, "kept", "wheels", "a-1-py3-none-any.whl"), wheel);
      return { kind: "exited", code: 0, stdout: "", log: "" };
    };
    const job: BuildJob = {
      module: "core",
      root,
      dependencies: [],
      cache,
      registries: publicRegistries,
      sandbox: { promises: [], run },
      limits: sandboxLimits,
      signal: undefined,
      onStep: () => undefined,
      log: () => undefined,
    };
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
