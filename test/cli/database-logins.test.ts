import { mkdir } from "node:fs/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { readLoginAddresses, writeMissingLogins } from "../../src/cli/database-logins.ts";
import { meshPaths, type MeshPaths } from "../../src/cli/mesh-setup.ts";
import { InputError } from "../../src/core/errors.ts";
import { writePrivateFile } from "../../src/disk/private-file.ts";
import type { Queryable } from "../../src/store/database.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

let paths: MeshPaths;
beforeEach(async () => {
  paths = meshPaths(await createTemporaryFolder());
  await mkdir(paths.secrets, { mode: 0o700 });
});

const secret = "a-secret-word-that-has-32-letters";
const loginOf = (role: string): object => ({ role, name: "mesh_x_123456789012", password: secret.slice(0, 32) });

/** Nobody may get so far. */
const noRecords: Queryable = {
  query: () => {
    throw new Error("the records were asked");
  },
};

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  );
}

describe("the file of the controller's logins", () => {
  it.each([
    ["no JSON at all", secret],
    ["another shape", JSON.stringify([{ role: "controller", name: "x", password: secret }])],
    ["two of one role", JSON.stringify(["controller", "controller", "builder"].map(loginOf))],
  ])("with %s is an input error that names it, and quotes nothing of it", async (_what, text) => {
    await writePrivateFile(paths.databaseLogins, text);
    const failure = await failureOf(writeMissingLogins(noRecords, paths));
    expect(failure).toBeInstanceOf(InputError);
    expect(String(failure)).toContain(paths.databaseLogins);
    expect(`${String(failure)} ${String(failure instanceof Error ? failure.cause : "")}`).not.toContain("secret-word");
  });
});

describe("the addresses of the controller's logins", () => {
  it("are none where none was kept: it goes in as the owner", async () => {
    expect(await readLoginAddresses(paths)).toBeNull();
  });

  it("are an error where one of the three is missing, named: never the owner's rights instead", async () => {
    await writePrivateFile(paths.loginAddresses.controller, "postgresql://c@here/mesh\n");
    await writePrivateFile(paths.loginAddresses.builder, "postgresql://b@here/mesh\n");
    const failure = await failureOf(readLoginAddresses(paths));
    expect(failure).toBeInstanceOf(InputError);
    expect(String(failure)).toContain(paths.loginAddresses.gateway);
  });

  it("are each of its role", async () => {
    for (const role of ["controller", "gateway", "builder"] as const)
      await writePrivateFile(paths.loginAddresses[role], `postgresql://${role}@here/mesh\n`);
    expect(await readLoginAddresses(paths)).toEqual({
      controller: "postgresql://controller@here/mesh",
      gateway: "postgresql://gateway@here/mesh",
      builder: "postgresql://builder@here/mesh",
    });
  });
});
