import { link, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { placeNew } from "../../src/store/backup/place-new.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
const temporary = () => join(folder, "backup.part");
const file = () => join(folder, "backup");

beforeEach(async () => {
  folder = await createTemporaryFolder();
  await writeFile(temporary(), "whole");
});

const cannotLink = (): Promise<never> => Promise.reject(Object.assign(new Error("link"), { code: "EPERM" }));

describe.each([
  ["with hard links", link],
  ["without hard links", cannotLink],
])("a name for a whole file, on a disk %s", (_disk, makeLink) => {
  it("is given once, and the temporary one goes", async () => {
    expect(await placeNew(temporary(), file(), makeLink)).toBe(true);
    expect(await readdir(folder)).toEqual(["backup"]);
    expect(await readFile(file(), "utf8")).toBe("whole");
  });

  it("is not given where somebody made a file under it meanwhile: that one stays as it is", async () => {
    await writeFile(file(), "another's");
    expect(await placeNew(temporary(), file(), makeLink)).toBe(false);
    expect(await readFile(file(), "utf8")).toBe("another's");
    expect(await readFile(temporary(), "utf8")).toBe("whole");
  });
});

it("whatever else a disk answers is its own error", async () => {
  const full = (): Promise<never> => Promise.reject(Object.assign(new Error("link"), { code: "ENOSPC" }));
  await expect(placeNew(temporary(), file(), full)).rejects.toMatchObject({ code: "ENOSPC" });
  expect(await readdir(folder)).toEqual(["backup.part"]);
});

it("a name that was taken for a file which is not there is free again", async () => {
  await expect(placeNew(join(folder, "gone"), file(), cannotLink)).rejects.toMatchObject({ code: "ENOENT" });
  expect(await readdir(folder)).toEqual(["backup.part"]);
});
