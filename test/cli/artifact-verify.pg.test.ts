import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { meshPaths } from "../../src/cli/mesh-setup.ts";
import { generateSigningKey } from "../../src/link/keys.ts";
import { createRoot, verifyRoot } from "../../src/link/root.ts";
import { observeCondition } from "../../src/store/conditions.ts";
import { listProvenance } from "../../src/store/provenance.ts";
import { grant, mesh, sendOne, addNodes } from "../store/open-records.ts";
import { type Ran, runMesh } from "./fake-context.ts";
import { type ArtifactBed, type BuiltArtifact, openArtifactBed } from "./artifact-bed.ts";

let bed: ArtifactBed;

beforeEach(async () => {
  bed = await openArtifactBed();
  return () => bed.close();
});

const blobFile = (digest: string): string =>
  join(meshPaths(bed.state).artifacts, "blobs", "sha256", digest.slice("sha256:".length));

async function flipBit(digest: string, at: number): Promise<void> {
  const bytes = await readFile(blobFile(digest));
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(blobFile(digest), bytes);
}

async function statementOf({ artifact }: BuiltArtifact): Promise<string> {
  const [kept] = await listProvenance(bed.records.db, mesh, { module: artifact.module, artifact: artifact.digest });
  if (kept === undefined) throw new Error("no statement was kept");
  return kept.statement;
}

describe("an artifact that is what it says", () => {
  it("is verified, by module and by the beginning of its digest, and exits with 0", async () => {
    const core = await bed.build("core", { "a.txt": "one", "b/c.txt": "two" });
    await bed.build("app", { "main.txt": "x" }, { against: { core: core.artifact.digest } });
    for (const words of [["core"], [core.artifact.digest.slice(7, 19)], [core.artifact.digest], ["--all"]]) {
      const ran = await bed.run("artifact", "verify", ...words);
      expect(ran).toMatchObject({ code: 0 });
      expect(ran.stdout).toMatch(/^\d of \d artifacts? verified/);
    }
    expect(await bed.documentOf("artifact", "verify", "--all")).toMatchObject({
      schema: "mesh.artifact-verify.v1",
      artifacts: [
        { module: "app", faults: [] },
        { module: "core", faults: [] },
      ],
    });
  });

  it("that came of several closures has a statement for each, all verified", async () => {
    const one = await bed.build("core", { "a.txt": "one" });
    const again = await bed.build("core", { "a.txt": "one" }, { against: { other: one.artifact.digest } });
    expect(again.artifact.digest).toBe(one.artifact.digest);
    expect(again.inputs).not.toBe(one.inputs);
    const ran = await bed.documentOf("artifact", "show", "core");
    expect((ran["artifacts"] as { statements: unknown[]; builds: unknown[] }[])[0]).toMatchObject({
      statements: [{ why: null }, { why: null }],
      builds: [{}, {}],
    });
    expect((await bed.run("artifact", "verify", "core")).code).toBe(0);
  });
});

describe("tampering", () => {
  const verify = async (): Promise<string> => {
    const ran = await bed.run("artifact", "verify", "core");
    expect(ran.code).toBe(2);
    return ran.stdout;
  };

  it("with one bit of the bytes is named, wherever the bit is", async () => {
    const core = await bed.build("core", { "a.txt": "one" });
    for (const at of [0, 100, 512, 700]) {
      await flipBit(core.artifact.blob, at);
      expect(await verify()).toMatch(/blob: its bytes are sha256:[0-9a-f]+, the records say/);
      await flipBit(core.artifact.blob, at);
    }
    expect((await bed.run("artifact", "verify", "core")).code).toBe(0);
  });

  it("by taking the bytes away is named, and is not *cannot tell*", async () => {
    const core = await bed.build("core", { "a.txt": "one" });
    await rm(blobFile(core.artifact.blob));
    expect(await verify()).toMatch(/blob: its bytes .* are not in the artifact store/);
  });

  it("with the records' digest of the content is found in the bytes", async () => {
    const core = await bed.build("core", { "a.txt": "one" });
    const other = `sha256:${"7".repeat(64)}`;
    await bed.records.db.query(`update artifact set digest = $1 where digest = $2`, [other, core.artifact.digest]);
    await bed.records.db.query(`update module set fit_artifact = $1`, [other]);
    expect(await verify()).toMatch(/content: its content is/);
  });

  it("with a statement is named: edited, taken away, not tied to it any more", async () => {
    const core = await bed.build("core", { "a.txt": "one" });
    const statement = await statementOf(core);
    await flipBit(statement, 40);
    expect(await verify()).toMatch(/provenance: statement [0-9a-f]{12}: its bytes are/);
    await flipBit(statement, 40);
    await rename(blobFile(statement), blobFile(`sha256:${"0".repeat(64)}`));
    expect(await verify()).toMatch(/provenance: statement .* is not in the artifact store/);
    await rename(blobFile(`sha256:${"0".repeat(64)}`), blobFile(statement));
    const [kept] = await listProvenance(bed.records.db, mesh, { module: "core", artifact: core.artifact.digest });
    await rm(blobFile(kept?.referrer ?? ""));
    expect(await verify()).toMatch(/the manifest that ties it to the artifact .* is not in the artifact store/);
  });

  it("with a statement of another artifact in its place is named, though its signature is good", async () => {
    const core = await bed.build("core", { "a.txt": "one" });
    const other = await bed.build("other", { "a.txt": "two" });
    await bed.records.db.query(`update provenance set statement = $1 where statement = $2`, [
      await statementOf(other),
      await statementOf(core),
    ]);
    const said = await verify();
    expect(said).toMatch(/it is about module other, the records say core/);
    expect(said).toMatch(/it is about content/);
    expect(said).toMatch(/names as source/);
  });

  it("with the closure in the records is named", async () => {
    await bed.build("core", { "a.txt": "one" });
    await bed.records.db.query(`update build set closure = jsonb_set(closure, '{toolchain}', '"another"')`);
    const said = await verify();
    expect(said).toMatch(/it names toolchain none, the records say another/);
    expect(said).toMatch(/the closure that is recorded does not have the inputs/);
  });

  it("by signing with a key of another role, or with one nobody knows, is named (R41)", async () => {
    await bed.build("core", { "a.txt": "one" }, { key: bed.declarationKey });
    expect(await verify()).toMatch(/signed by a key of another role \(declaration\)/);
    await bed.build("core", { "a.txt": "two" }, { key: generateSigningKey() });
    expect(await verify()).toMatch(/signed by a key that is not known here/);
  });

  it("with a key that had ended when the statement was kept is named", async () => {
    await bed.build("core", { "a.txt": "one" });
    const file = meshPaths(bed.state).rootDocument;
    const verified = verifyRoot(await readFile(file), { mesh });
    if (!verified.ok) throw new Error(verified.message);
    const rootKey = generateSigningKey();
    const keys = verified.root.keys.map((key) =>
      key.roles.includes("provenance")
        ? { ...key, notAfter: "2021-01-01T00:00:00.000Z" }
        : key.roles.includes("root")
          ? { ...key, publicKey: rootKey.publicKey }
          : key,
    );
    await writeFile(file, createRoot({ ...verified.root, keys }, [rootKey]));
    expect(await verify()).toMatch(/signed by a key that expired at 2021/);
  });

  it("by taking every statement away is named", async () => {
    await bed.build("core", { "a.txt": "one" }, { statement: "none" });
    expect(await verify()).toMatch(/provenance: no statement says how it was built/);
  });
});

describe("a Ctrl-C", () => {
  /** Interrupted as soon as it has begun with that module. */
  async function verifyUntil(module: string): Promise<Ran> {
    const interrupt = new AbortController();
    return await runMesh(["artifact", "verify", "--all", "--json"], {
      env: { MESH_STATE: bed.state },
      openMesh: bed.connect,
      interrupt: interrupt.signal,
      onProgress: (stderr) => {
        if (stderr.includes(`  ${module} `)) interrupt.abort();
      },
    });
  }
  beforeEach(async () => {
    for (const module of ["app", "core", "web"]) await bed.build(module, { "a.txt": module });
  });

  it("is *cannot tell* and says how many were verified, and is neither a bug nor a fault (R48)", async () => {
    const ran = await verifyUntil("core");
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain(
      "mesh: it was interrupted: 1 of 3 artifacts were verified, and each is what it says\n  next: type it again\n",
    );
    expect(ran.stderr).not.toContain("  web ");
  });

  it("does not hide what was found before it: 2, with how many were not looked at (R48)", async () => {
    await bed.records.db.query(`delete from provenance where module = 'app'`);
    const ran = await verifyUntil("core");
    expect(ran.code).toBe(2);
    expect(JSON.parse(ran.stdout)).toMatchObject({ artifacts: [{ module: "app" }], unverified: 2 });
  });
});

describe("what does not answer", () => {
  it("a store that is not there is *cannot tell*, never an artifact that is missing (R26)", async () => {
    await bed.build("core", { "a.txt": "one" });
    const { artifacts } = meshPaths(bed.state);
    await rename(artifacts, `${artifacts}.away`);
    const ran = await bed.run("artifact", "verify", "--all");
    expect(ran.code).toBe(3);
    expect(ran.stderr).toMatch(/the artifact store in .* does not answer/);
  });

  it.each([
    [["verify"], /say which artifact, or --all/],
    [["verify", "core", "--all"], /say which artifact, or --all/],
    [["verify", "nothing"], /no artifact of a module nothing/],
    [["verify", "abc"], /too short for a digest/],
    [["show", "../../x"], /no artifact of a module/],
    [["show", "0123456789ab"], /there is no artifact 0123456789ab/],
    [["list", "nothing"], /there is no module nothing/],
  ])("%s is refused with the next command", async (words, message) => {
    const ran = await bed.run("artifact", ...words);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(message);
  });
});

describe("what is shown", () => {
  it("a list has digest, size, commit, and where each was last sent", async () => {
    const core = await bed.build("core", { "a.txt": "one" });
    await addNodes(bed.records.db, "node-a");
    const epoch = await grant(bed.records.db);
    await sendOne(bed.records.db, epoch, "node-a", { builds: { core: core.artifact.digest } });
    const ran = await bed.run("artifact", "list");
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(
      new RegExp(
        `core +${core.artifact.digest.slice(7, 19)} +[\\d.]+ KiB +.* +[0-9a-f]{7} +node-a +unknown +newest fit`,
      ),
    );
  });

  it("one has its closure as sentences, who signed, and its files", async () => {
    const core = await bed.build("core", { "a.txt": "one" });
    const app = await bed.build("app", { "main.txt": "x" }, { against: { core: core.artifact.digest } });
    const { stdout, code } = await bed.run("artifact", "show", "app");
    expect(code).toBe(0);
    expect(stdout).toContain(app.artifact.digest);
    expect(stdout).toContain(`built against core at ${core.artifact.digest.slice(7, 19)}`);
    expect(stdout).toContain(`signed by ${bed.builder.key.keyId}`);
    expect(stdout).toMatch(/644 +1 B +main\.txt/);
  });
});

it("mesh build --again is not waited for in silence while the store does not answer: 3, with the reason (R48)", async () => {
  const { db } = bed.records;
  await bed.build("core", { "a.txt": "one" });
  await grant(db);
  const condition = { code: "artifact-watch-failing", subject: "artifacts", urgent: false };
  const message = "the artifact store in /away does not answer";
  await observeCondition(db, mesh, { ...condition, message, remedy: "see that its disk is mounted" });
  const ran = await bed.run("build", "core", "--again", "--timeout", "60");
  expect(ran.code).toBe(3);
  expect(ran.stderr).toContain(message);
  expect(ran.stderr).toContain("next: see that its disk is mounted; it looks at what was asked as soon as it can");
});
