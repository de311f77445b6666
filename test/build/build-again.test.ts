import { describe, expect, it } from "vitest";
import { buildAgain, type SecondBuild } from "../../src/build/build-again.ts";
import { openSandbox } from "../../src/build/open-sandbox.ts";
import type { Sandbox } from "../../src/build/sandbox.ts";
import type { BuildModule } from "../../src/build/build-module.ts";
import { type BuildBed, createBuildBed, typescriptModule } from "../support/build-bed.ts";

const timeout = 120_000;
const core = typescriptModule("core", {
  "src/index.ts": "export const one: number = 1;\n",
  "src/b.ts": "export {};\n",
});

/** The real sandbox, with a compiler that also writes down what this command says: a tool that leaks. */
async function leakySandbox(command: string): Promise<Sandbox> {
  const sandbox = await openSandbox();
  return {
    promises: sandbox.promises,
    run: (run) => {
      const at = run.command.findIndex((word) => word.endsWith("/lib/tsc"));
      if (at === -1) return sandbox.run(run);
      const script = `"$@" && { ${command}; } > /build/module/dist/leak.txt`;
      // Behind what the second build puts before it, so that the tool sees what is varied.
      const words = [...run.command.slice(0, at), "/bin/sh", "-c", script, "leaky", ...run.command.slice(at)];
      const [program = "", ...rest] = words;
      return sandbox.run({ ...run, command: [program, ...rest] });
    },
  };
}

async function buildTwice(bed: BuildBed, command: string): Promise<SecondBuild> {
  const sandbox = await leakySandbox(command);
  let used: BuildModule | null = null;
  const built = await bed.build("core", { sandbox, onOptions: (options) => (used = options) });
  if (built.artifact === null || used === null) throw new Error(JSON.stringify(built));
  return buildAgain({ ...(used as BuildModule), first: built.artifact });
}

describe("a second build of the same inputs (R10)", () => {
  it("of what is reproducible is the same, and says what was another", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit(core);
    const second = await buildTwice(bed, "true");
    expect(second).toMatchObject({ kind: "compared", files: [] });
    if (second.kind !== "compared") throw new Error("not compared");
    expect(second.varied).toHaveLength(5);
    expect(second.varied.slice(0, 4)).toEqual([
      "another folder",
      "another order of files",
      "umask 077",
      "a later moment",
    ]);
  });

  it.each([
    ["the clock", "date +%s%N"],
    ["the umask", "umask"],
    ["what is random", "cat /proc/sys/kernel/random/uuid"],
  ])("finds a tool that writes down %s, and names the file", { timeout }, async (_what, command) => {
    const bed = await createBuildBed();
    await bed.origin.commit(core);
    const second = await buildTwice(bed, command);
    expect(second).toMatchObject({ kind: "compared", files: [expect.stringMatching(/^dist\/leak\.txt: /)] });
  });

  it(
    "has the same path, user, home, zone, language and date for tools, so that they are no leak",
    { timeout },
    async () => {
      const bed = await createBuildBed();
      await bed.origin.commit(core);
      const told =
        "pwd; id; hostname; ls -d /build/.git /build/module/.git; ls -A $HOME | grep -v node-compile; env | sort";
      expect(await buildTwice(bed, `${told} 2>&1 || true`)).toMatchObject({ kind: "compared", files: [] });
    },
  );

  it("keeps nothing: no blob, no artifact, no folder", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit(core);
    let used: BuildModule | null = null;
    const first = await bed.buildFit("core", { onOptions: (options) => (used = options) });
    if (used === null) throw new Error("not built");
    const before = await bed.listStore();
    const second = await buildAgain({ ...(used as BuildModule), first });
    expect(second).toMatchObject({ kind: "compared", second: first.digest });
    expect(await bed.listStore()).toEqual(before);
  });

  it("that does not come out fit says why, and compares nothing", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit(core);
    let used: BuildModule | null = null;
    const built = await bed.build("core", { onOptions: (options) => (used = options) });
    if (built.artifact === null || used === null) throw new Error("not fit");
    const gone: Sandbox = { promises: [], run: async () => ({ kind: "unavailable", why: "no sandbox now", log: "" }) };
    const second = await buildAgain({ ...(used as BuildModule), sandbox: gone, first: built.artifact });
    expect(second).toEqual({ kind: "not-fit", why: expect.stringMatching(/no sandbox now/) });
  });
});
