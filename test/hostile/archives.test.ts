import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import { writeHeader } from "../../src/link/artifact/tar-entries.ts";
import { unpackArtifact } from "../../src/link/artifact/unpack.ts";
import { goodArchive, hostileArchives, type HostileArchive } from "./archives.ts";
import { expectRefusal, refusalOf } from "./expect-refusal.ts";

const limits = { entries: 1_000, bytes: 16 * 1024 * 1024 };

let outside = "";
let inside = "";
beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), "mesh-hostile-"));
  inside = join(outside, "modules");
  await mkdir(inside);
});
afterEach(() => rm(outside, { recursive: true, force: true }));

// oxlint-disable-next-line require-await -- a stream, though nothing is waited for
async function* stream(archive: HostileArchive): AsyncIterable<Uint8Array> {
  yield* archive.chunks();
}

const unpack = (archive: HostileArchive): Promise<unknown> =>
  unpackArtifact({ from: stream(archive), into: join(inside, "m"), digest: archive.digest, limits });

describe("hostile archives (case 49)", () => {
  it("lets a good one through, or the rest would show nothing", async () => {
    await unpack(goodArchive);
    expect(await readdir(join(inside, "m"))).toEqual(["bin", "x"]);
  });

  it.each(hostileArchives.map((archive) => [archive.situation, archive] as const))(
    "refuses %s, and nothing is left",
    async (_, archive) => {
      await expectRefusal(async () => {
        const refusal = await refusalOf(() => unpack(archive), InputError);
        // The digest given is the one that the files would have: something else has to refuse them.
        expect(refusal?.message ?? "").not.toMatch(/digest/i);
        return refusal;
      });
      expect(await readdir(inside)).toEqual([]);
      expect(await readdir(outside)).toEqual(["modules"]);
      expect(existsSync("/tmp/mesh-hostile-absolute")).toBe(false);
    },
  );

  it.runIf(process.platform === "linux")(
    "leaves no file open that was refused: hosts try again and again",
    async () => {
      const file = join(outside, "blob.tar");
      // More than a stream reads ahead: it would end, and close, by itself.
      await writeFile(
        file,
        Buffer.concat([writeHeader({ name: "../x", mode: "644", bytes: 1 }), Buffer.alloc(1_000_000)]),
      );
      const unpacking = unpackArtifact({ from: file, into: join(inside, "m"), digest: goodArchive.digest, limits });
      await expect(unpacking).rejects.toThrow(InputError);
      await expect.poll(() => isOpenHere(file), { timeout: 10_000 }).toBe(false);
    },
  );
});

async function isOpenHere(file: string): Promise<boolean> {
  const numbers = await readdir("/proc/self/fd");
  // The one that reads the folder is gone by now.
  const targets = await Promise.all(numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => "")));
  return targets.includes(file);
}
