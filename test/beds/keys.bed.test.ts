import { mkdir, readdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createGitRepository, type GitRepository } from "../support/git-repository.ts";
import { openBedMesh, type BedMesh } from "./support/bed-mesh.ts";
import { readRecords } from "./support/read-records.ts";
import { waitFor } from "./support/wait-for.ts";

const manifest = `module: note
language: files
config:
  text: none
files:
  - path: note.txt
    text: "\${config.text}"
`;

/**
 * A mesh that began with one root key beside the others gets three elsewhere, two of which sign; its declaration key is
 * rotated, and the old one taken back, while a host is off: it comes back three roots later.
 */
describe("the keys of a mesh", { timeout: 240_000 }, () => {
  let mesh: BedMesh;
  let repository: GitRepository;
  let stick = "";
  let keys: readonly string[] = [];

  beforeAll(async () => {
    mesh = await openBedMesh("keys");
    stick = join(mesh.folder, "stick");
    await mkdir(stick);
    repository = await createGitRepository();
    await repository.commit({ "note/mesh.yaml": manifest, "note/readme": "kept with it" }, "A module");
    await mesh.ask("repo", "add", "notes", repository.dir);
    await mesh.ask("module", "add", "note", "--repo", "notes", "--path", "note");
    await mesh.ask("build", "note", "--wait", "--timeout", "200");
    await mesh.addHost("node-a");
    await push("one");
  }, 400_000);

  afterAll(async () => {
    await mesh?.close();
    await repository?.remove();
  }, 60_000);

  const noteFile = (): string => join(mesh.hostFolder("node-a"), "root/etc/note/note.txt");
  const draft = (version: number): string => join(mesh.state, "keys", `root-${version}.draft`);

  async function push(text: string): Promise<void> {
    await mesh.ask("assign", "node-a", "note", "--set", `text=${text}`);
    await mesh.ask("push", "node-a", "--timeout", "60");
    expect(await readFile(noteFile(), "utf8")).toBe(text);
  }

  /** Two of the three, as on machines of their own: the draft, the present root and one key. */
  async function signAndPublish(version: number): Promise<void> {
    for (const [index, code] of [
      [0, 1],
      [2, 0],
    ] as const) {
      const ran = await mesh.run("keys", "root", "sign", draft(version), "--key", keys[index] ?? "");
      expect(ran.code, ran.stderr).toBe(code);
    }
    await mesh.ask("keys", "root", "publish", draft(version));
  }

  async function readIds(role: string): Promise<string[]> {
    const shown = z
      .object({ keys: z.array(z.object({ id: z.string(), roles: z.array(z.string()) })) })
      .parse(await mesh.ask("keys", "show"));
    return shown.keys.filter(({ roles }) => roles.includes(role)).map(({ id }) => id);
  }

  it("gets three root keys elsewhere, and goes on without any of them here", async () => {
    await mesh.ask("keys", "rotate", "root", "--root-keys", "3", "--threshold", "2", "--keys-out", stick);
    await mesh.ask("keys", "root", "publish", draft(2));
    keys = (await readdir(stick)).toSorted().map((name) => join(stick, name));
    expect(keys).toHaveLength(3);
    await rename(join(mesh.state, "secrets/root-key.pem"), join(mesh.folder, "old-root-key.pem"));
    await push("two");
    expect((await mesh.run("status")).code).toBe(0);
  });

  it("brings a host that was off for three roots to what it was sent meanwhile, by a key taken back since", async () => {
    const host = await readFile(join(mesh.hostFolder("node-a"), "keys/root.dsse"));
    const [first = ""] = await readIds("declaration");
    await mesh.endHost("node-a");
    await mesh.ask("assign", "node-a", "note", "--set", "text=three");
    // Nobody is there to apply it: told, and signed by the first key.
    expect((await mesh.run("push", "node-a", "--timeout", "2")).code).toBe(1);
    await mesh.ask("keys", "show");
    for (const [version, words] of [
      [3, []],
      [4, []],
      [5, ["--revoke", first]],
    ] as const) {
      expect((await mesh.run("keys", "rotate", "declaration", ...words)).code).toBe(1);
      await signAndPublish(version);
    }
    expect(await readIds("declaration")).not.toContain(first);
    mesh.startHost("node-a");
    await waitFor(
      "node-a has applied what it was sent while it was off",
      async () => ((await readFile(noteFile(), "utf8")) === "three" ? true : Promise.reject(new Error("not yet"))),
      60_000,
    );
    const root = await readFile(join(mesh.hostFolder("node-a"), "keys/root.dsse"));
    expect(root).not.toEqual(host);
    expect(root).toEqual(await readFile(join(mesh.state, "keys/root.dsse")));
    // The controller that has been running all the while signs with the newest key.
    await push("four");
    const [sent] = await readRecords(
      mesh.state,
      "select convert_from(envelope, 'UTF8') as envelope from declaration order by epoch desc, number desc limit 1",
    );
    const { signatures } = z
      .object({ signatures: z.array(z.object({ keyid: z.string() })) })
      .parse(JSON.parse(z.object({ envelope: z.string() }).parse(sent).envelope));
    expect(signatures.map(({ keyid }) => keyid)).toEqual([(await readIds("declaration")).at(-1)]);
  });

  it("says that a root in the records is not vouched for, here and at the host, and goes on without it", async () => {
    // Somebody with the database writes root 6: root 5 again, under the next number.
    await readRecords(
      mesh.state,
      "insert into root_document (mesh, version, envelope) select mesh, 6, envelope from root_document where version = 5",
    );
    await push("five");
    const status = await waitFor(
      "the controller says so",
      async () => {
        const { stdout } = await mesh.run("status");
        return stdout.includes("root-refused") ? stdout : Promise.reject(new Error(stdout));
      },
      60_000,
    );
    expect(status).toContain("root 6 in the records is refused");
    const why = await waitFor(
      "the host's refusal is shown",
      async () => {
        const { stdout } = await mesh.run("why", "node-a");
        return stdout.includes("(root)") ? stdout : Promise.reject(new Error(stdout));
      },
      60_000,
    );
    expect(why).toMatch(/refused a root \(root\): root 6: lower: it is root 5, root 5 is here already/);
    await readRecords(mesh.state, "delete from root_document where version = 6");
    await push("six");
    await waitFor(
      "nothing is said of it any more",
      async () => {
        const { stdout } = await mesh.run("status");
        return stdout.includes("root-refused") ? Promise.reject(new Error(stdout)) : true;
      },
      60_000,
    );
  });
});
