import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { allowsUnsafe, describeUnlimited, openSandbox, openSandboxes } from "../../src/build/open-sandbox.ts";
import { sandboxLimits } from "../../src/build/sandbox.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const none = { bubblewrap: "/nowhere/bwrap" };

async function build(rule: boolean | readonly string[], repository: string): Promise<string> {
  const { sandboxFor } = await openSandboxes(rule, none);
  const { kind } = await sandboxFor(repository).run({
    command: ["/usr/bin/env", "true"],
    folder: "/",
    mounts: [],
    network: "none",
    limits: { wallMs: 10_000, memoryBytes: 1e9, processes: 16, cpus: 1, outputBytes: 1e5, diskBytes: 1e6 },
  });
  return kind;
}

it("builds only the named repositories without a sandbox, and refuses every other one", async () => {
  expect(await build(["examples"], "examples")).toBe("exited");
  expect(await build(["examples"], "source")).toBe("unavailable");
  expect(await build(["examples"], "")).toBe("unavailable");
  expect(await build([], "examples")).toBe("unavailable");
  expect(await build(false, "examples")).toBe("unavailable");
  expect(await build(true, "source")).toBe("exited");
  expect(allowsUnsafe(["examples"], "example")).toBe(false);
});

it("says whose modules go without one, and why; nothing where nobody's do", async () => {
  const { unsafe, promises } = await openSandboxes(["examples"], none);
  expect(unsafe).toMatch(/^modules of examples are built without a sandbox: bubblewrap .* does not run/);
  expect(promises.join(" ")).toContain("NO SANDBOX");
  for (const rule of [false, []]) expect(await openSandboxes(rule, none)).toMatchObject({ unsafe: null });
  expect((await openSandboxes(true, none)).unsafe).toContain("all repositories");
});

it("says by what builds are bounded less, where no control group may be made for them", () => {
  expect(describeUnlimited(null)).toMatch(/memory is only watched.*processor time as any program does/);
  expect(describeUnlimited({ cpu: false })).toMatch(/^no control group for processor time/);
  expect(describeUnlimited({ cpu: true })).toBeNull();
});

const hello = {
  command: ["/bin/sh", "-c", "echo hello"] as const,
  folder: "/tmp",
  mounts: [],
  network: "none" as const,
  limits: sandboxLimits,
};

describe("without bubblewrap", () => {
  it("nothing runs, and it is said how to get it", async () => {
    const sandbox = await openSandbox({ bubblewrap: "/nowhere/bwrap" });
    expect(await sandbox.run(hello)).toMatchObject({
      kind: "unavailable",
      why: expect.stringMatching(/apt-get install bubblewrap/),
    });
  });

  it("a program that cannot make a sandbox is as good as none", async () => {
    const sandbox = await openSandbox({ bubblewrap: "/bin/true" });
    expect((await sandbox.run(hello)).kind).toBe("unavailable");
  });

  it("runs unsafely only where that was asked for, and says so", async () => {
    const sandbox = await openSandbox({ bubblewrap: "/nowhere/bwrap", unsafeWithoutSandbox: true });
    expect(sandbox.promises[0]).toMatch(/^NO SANDBOX/);
    const folder = await createTemporaryFolder();
    const mounts = [{ from: folder, to: "/build", access: "write" as const }];
    const result = await sandbox.run({
      command: ["/usr/bin/touch", "/build/x"],
      folder: "/build",
      mounts,
      network: "none",
      limits: sandboxLimits,
    });
    expect(result).toMatchObject({ kind: "exited", code: 0 });
    expect(await readdir(folder)).toEqual(["x"]);
  });
});
