import { Readable } from "node:stream";
import { beforeEach, expect, it } from "vitest";
import { verifyArtifact } from "../../src/activities/verify-artifact.ts";
import type { ArtifactStore } from "../../src/build/artifact-store.ts";
import { readRoot } from "../../src/cli/artifacts/open-store.ts";
import { UnavailableError } from "../../src/core/errors.ts";
import { getArtifact } from "../../src/store/artifacts.ts";
import { type ArtifactBed, openArtifactBed } from "../cli/artifact-bed.ts";
import { mesh } from "../store/open-records.ts";

let bed: ArtifactBed;
beforeEach(async () => {
  bed = await openArtifactBed();
  return () => bed.close();
});

it.each([1, 2])(
  "a disk that does not read at its reading %i of the bytes is no fault: it cannot be told (R42, R48)",
  async (at) => {
    const { artifact } = await bed.build("core", { "a.txt": "one" });
    const record = await getArtifact(bed.records.db, mesh, "core", artifact.digest);
    if (record === null) throw new Error("core was not kept");
    let readings = 0;
    const store: ArtifactStore = {
      ...bed.store,
      openBlob: async (digest, range) => {
        if (digest === artifact.blob) readings += 1;
        if (digest !== artifact.blob || readings !== at) return bed.store.openBlob(digest, range);
        return new Readable({
          read() {
            this.destroy(Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" }));
          },
        });
      },
    };
    const root = await readRoot(await bed.connect());
    const failure = await verifyArtifact({ db: bed.records.db, mesh, store, root }, record).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(UnavailableError);
    expect(failure).toMatchObject({ message: expect.stringContaining("EIO"), next: expect.stringMatching(/disk/) });
    expect(readings).toBe(at);
  },
);
