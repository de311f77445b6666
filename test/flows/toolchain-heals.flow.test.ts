import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { findProgram } from "../../src/source/imports/find-program.ts";
import { findRustToolchain } from "../../src/build/builders/rust-toolchain.ts";
import { readBuiltWith } from "../../src/store/build-surroundings.ts";
import { listBuilds } from "../../src/store/builds.ts";
import { rustModule } from "../support/rust-bed.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { readModule } from "./support/module-files.ts";
import { openReconcileMesh } from "./support/reconcile-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

const timeout = 240_000;
const rust = findRustToolchain();

/** Instead of this process's PATH: a folder with nothing in it yet, and the system's own. */
async function createPath(): Promise<string> {
  const folder = await createTemporaryFolder();
  await mkdir(join(folder, "cargo"));
  vi.stubEnv("PATH", `${folder}:/usr/bin:/bin:/usr/sbin:/sbin`);
  // Where rustup puts its programs is looked at too.
  vi.stubEnv("CARGO_HOME", join(folder, "cargo"));
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

it.runIf(rust.kind === "present")(
  "a toolchain that is not there is outstanding; put there, used; taken away and back, known again: no restart (R8, R11)",
  { timeout },
  async () => {
    if (rust.kind === "absent") throw new Error("only where there is one");
    const flow = await openReconcileMesh();
    onTestFinished(() => flow.close());
    const path = await createPath();
    expect(findProgram("rustc"), "no other rustc is in the way").toBeNull();
    await flow.origin.commit(rustModule("app", { "src/lib.rs": "pub fn one() -> u32 {\n    1\n}\n" }));
    await flow.addModules("app");
    await flow.look();
    const [absent] = await listBuilds(flow.db, flow.mesh, "app", 1);
    expect(absent).toMatchObject({ state: "outstanding", class: "toolchain" });
    expect(absent?.closure.toolchain).toMatch(/^absent: /);
    expect((await readModule(flow, "app")).standingWhy).toMatch(/no rustc on the PATH.*install Rust/);

    flow.watch(300);
    await symlink(join(rust.sysroot, "bin", "rustc"), join(path, "rustc"));
    await waitUntil("it is fit", async () => (await readModule(flow, "app")).standing === "current", 120_000);
    expect(flow.wakes).toContainEqual(expect.stringMatching(/toolchains changed: rust|builds to try again: app/));
    const fit = await readModule(flow, "app");
    const [built] = await listBuilds(flow.db, flow.mesh, "app", 1);
    expect(built).toMatchObject({ state: "fit", closure: { toolchain: rust.text } });
    expect((await readBuiltWith(flow.db, flow.mesh))?.toolchains["rust"]).toBe(rust.text);

    await rm(join(path, "rustc"));
    await waitUntil(
      "it is said that the next build could not be judged",
      async () => (await readModule(flow, "app")).standing === "outstanding",
      60_000,
    );
    expect((await readModule(flow, "app")).fitArtifact).toBe(fit.fitArtifact);
    await symlink(join(rust.sysroot, "bin", "rustc"), join(path, "rustc"));
    await waitUntil("it is known", async () => (await readModule(flow, "app")).standing === "current", 60_000);
    // What was fit with it is fit: nothing was built for it again.
    expect((await listBuilds(flow.db, flow.mesh, "app", 9)).map((build) => build.state).toSorted()).toEqual([
      "fit",
      "outstanding",
    ]);
  },
);
