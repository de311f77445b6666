import { expect, it } from "vitest";
import { allowsUnsafe, openSandboxes } from "../../src/build/open-sandbox.ts";

const none = { bubblewrap: "/nowhere/bwrap" };

async function build(rule: boolean | readonly string[], repository: string): Promise<string> {
  const { sandboxFor } = await openSandboxes(rule, none);
  const { kind } = await sandboxFor(repository).run({
    command: ["/usr/bin/env", "true"],
    folder: "/",
    mounts: [],
    network: "none",
    limits: { wallMs: 10_000, memoryBytes: 1e9, processes: 16, outputBytes: 1e5, diskBytes: 1e6 },
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
