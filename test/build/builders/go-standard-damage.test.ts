import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { dropDamaged } from "../../../src/build/builders/go-standard-damage.ts";
import { listFiles } from "../../../src/build/list-files.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const placeOf = (id: string, kind: "a" | "d"): string => join("cache", id.slice(0, 2), `${id}-${kind}`);

describe("Go's compiled standard library on a disk that changes bytes (R11)", () => {
  let folder = "";
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  const output = placeOf(hash("fmt"), "d");
  const entry = placeOf(hash("ask fmt"), "a");

  beforeEach(async () => {
    folder = await createTemporaryFolder();
    for (const text of ["fmt", "os", ""]) {
      await write(placeOf(hash(text), "d"), text);
      const size = String(text.length).padStart(20);
      await write(
        placeOf(hash(`ask ${text}`), "a"),
        `v1 ${hash(`ask ${text}`)} ${hash(text)} ${size}  1796061829659915779\n`,
      );
    }
    await write("cache/trim.txt", "1");
    await write("mark", "");
  });

  it("is left as it is where it is whole", async () => {
    const before = await listFiles(folder);
    expect(await dropDamaged(folder)).toBe(false);
    expect(await listFiles(folder)).toEqual(before);
  });

  const flip = async (path: string, at: number): Promise<void> => {
    const bytes = await readFile(join(folder, path));
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await writeFile(join(folder, path), bytes);
  };
  it.each([
    ["what was compiled", () => flip(output, 1), [output, entry]],
    ["its length", () => write(output, "fm"), [output, entry]],
    ["that it is there", () => rm(join(folder, output)), [output, entry]],
    ["the entry's own name", () => flip(entry, 5), [entry]],
    ["which output it names", () => flip(entry, 70), [entry]],
  ])("loses what the disk changed, and the marks that say what is there: %s", async (_, damage, gone) => {
    const before = await listFiles(folder);
    await damage();
    expect(await dropDamaged(folder)).toBe(true);
    expect(await listFiles(folder)).toEqual(before.filter((path) => path !== "mark" && !gone.includes(path)));
    expect(await dropDamaged(folder)).toBe(false);
  });

  it("is whole while another build writes to it", async () => {
    await write(placeOf(hash("later"), "d"), "lat");
    await write(placeOf(hash("ask later"), "a"), "v1 ");
    expect(await dropDamaged(folder)).toBe(false);
  });
});
