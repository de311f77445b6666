import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readArtifactDigest } from "../../../src/host/resources/artifact-content.ts";
import { makeFolder } from "../../support/host-bed.ts";

let folder: string;

beforeEach(async () => {
  folder = path.join(await makeFolder(), "artifact");
  await mkdir(path.join(folder, "lib/deep"), { recursive: true });
  await writeFile(path.join(folder, "main.js"), "1");
  await writeFile(path.join(folder, "lib/deep/part.js"), "2");
});

afterEach(() => rm(path.dirname(folder), { recursive: true, force: true }));

describe("an artifact's files that are read back (case 48)", () => {
  it("have one digest, which says what is in each and where", async () => {
    const digest = await readArtifactDigest(folder);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await readArtifactDigest(folder)).toBe(digest);
    await writeFile(path.join(folder, "lib/deep/part.js"), "3");
    expect(await readArtifactDigest(folder)).not.toBe(digest);
    expect(await readArtifactDigest(path.join(folder, "nothing"))).toBeNull();
  });

  it.each([
    { where: "out of it, to what changes all the time", links: { all: "/proc" } },
    { where: "to a folder that nobody may look into the whole of", links: { all: "/" } },
    // Followed, each of them doubles the paths at each level.
    { where: "round in a ring, twice", links: { one: ".", other: "." } },
  ])("are other ones where a link leads $where: it is found, not followed", { timeout: 10_000 }, async ({ links }) => {
    for (const [name, target] of Object.entries(links)) await symlink(target, path.join(folder, "lib", name));
    expect(await readArtifactDigest(folder)).toMatch(/^lib\/(all|one) is a link or no file$/);
  });

  it("are other ones where what was listed went before it was looked at", async () => {
    const digests = new Set<string | null>();
    const isWhole = await readArtifactDigest(folder);
    const over = new AbortController();
    const churn = async (): Promise<void> => {
      const file = path.join(folder, "lib/passing");
      while (!over.signal.aborted) {
        await writeFile(file, "");
        await rm(file);
      }
    };
    const churning = churn();
    for (let looks = 0; looks < 300; looks += 1) digests.add(await readArtifactDigest(folder));
    over.abort();
    await churning;
    // Never thrown, and never taken for nothing at all.
    expect(digests.has(null)).toBe(false);
    expect(await readArtifactDigest(folder)).toBe(isWhole);
  });
});
