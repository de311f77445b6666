import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { restoreBackup } from "../../src/store/backup/restore-backup.ts";
import { takeBackup } from "../../src/store/backup/take-backup.ts";
import { keepRoot, listRootsAfter } from "../../src/store/roots.ts";
import { addNodes, mesh, openRecords, type Records } from "./open-records.ts";

let records: Records;
let folder = "";
let file = "";

const publish = (version: number, text = `root ${version}`): Promise<boolean> =>
  keepRoot(records.db, mesh, { version, envelope: Buffer.from(text) });
const listRoots = async () => (await listRootsAfter(records.db, mesh, 0)).map((root) => ({ ...root }));
const restore = () => restoreBackup(records.db, { file, mesh, by: "ada", replace: true });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mesh-restore-roots-"));
  file = join(folder, "backup");
  records = await openRecords();
  await addNodes(records.db, "node-a");
  for (const version of [1, 2, 3]) await publish(version);
  await takeBackup(records.db, file);
});
afterEach(async () => {
  await records.close();
  await rm(folder, { recursive: true, force: true });
});

describe("a restore over records with newer roots (R35)", () => {
  it("keeps every one of them, bytes and times", async () => {
    await publish(4);
    await publish(5);
    const before = await listRoots();
    expect((await restore()).roots).toEqual({ taken: [4, 5], differs: [] });
    expect(await listRoots()).toEqual(before);
    // Once more: there is nothing left to take over, and nothing is lost.
    await records.db.query(`delete from root_document where version = 4`);
    await takeBackup(records.db, join(folder, "with-a-gap"));
    await publish(4);
    file = join(folder, "with-a-gap");
    expect((await restore()).roots).toEqual({ taken: [4], differs: [] });
  });

  it("takes none of another line: no host of the backup's would go on to them", async () => {
    await records.db.query(`delete from root_document where version = 3`);
    await publish(3, "another root 3");
    await publish(4);
    expect((await restore()).roots).toEqual({ taken: [], differs: [3] });
    expect((await listRoots()).map(({ version, envelope }) => [version, String(envelope)])).toEqual([
      [1, "root 1"],
      [2, "root 2"],
      [3, "root 3"],
    ]);
  });
});
