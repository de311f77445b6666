import { mkdtemp, readFile, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { UnavailableError } from "../../../src/core/errors.ts";
import { createRootWalk, type RootWalk } from "../../../src/host/cycle/root-walk.ts";
import type { NewRefusal } from "../../../src/host/state/refusals.ts";
import { writeDurably } from "../../../src/disk/write-durably.ts";
import { signEnvelope } from "../../../src/link/envelope.ts";
import { generateSigningKey, type SigningKey } from "../../../src/link/keys.ts";
import type { Root } from "../../../src/link/root.ts";
import { DAY, HOUR, isoAt, makeRoot, REFERENCE, rootEntry, strangerKey } from "../../link/support/fixtures.ts";

const rootKeys = [generateSigningKey(), generateSigningKey(), generateSigningKey()] as const;
const [a, b, c] = rootKeys;
const never = (): void => undefined;
const log = { info: never, warn: never, error: never };

/** Root `version` of a mesh with three root keys, two of which must sign. */
function rootOf(version: number, changes: Partial<Root> = {}): Root {
  return makeRoot({ version, threshold: 2, keys: rootKeys.map((key) => rootEntry(key, "root")), ...changes });
}
const sign = (root: unknown, keys: readonly SigningKey[] = [a, b]): Buffer =>
  signEnvelope("root", Buffer.from(JSON.stringify(root)), keys);

let file = "";
let served: Map<number, Uint8Array>;
let refusals: NewRefusal[];
let walk: RootWalk;

/** A host at root 1, its root file on a real disk. */
beforeEach(async () => {
  file = path.join(await mkdtemp(path.join(tmpdir(), "mesh-root-")), "root.dsse");
  await writeDurably(file, sign(rootOf(1)), { mode: 0o600 });
  served = new Map();
  refusals = [];
  walk = openWalk();
});

function openWalk(changes: Partial<Parameters<typeof createRootWalk>[0]> = {}): RootWalk {
  return createRootWalk({
    root: rootOf(1),
    controller: { fetchRoot: async (version) => toBuffer(served.get(version)) },
    write: (bytes) => writeDurably(file, bytes, { mode: 0o600 }),
    nowMs: () => REFERENCE,
    log,
    onRefused: async (refusal) => void refusals.push(refusal),
    onNewest: async () => void refusals.splice(0),
    ...changes,
  });
}

function toBuffer(bytes: Uint8Array | undefined): Buffer | null {
  return bytes === undefined ? null : Buffer.from(bytes);
}

describe("a host that walks from the root it has to the newest", () => {
  it("comes three roots on, each signed by the one before, and keeps the last on disk", async () => {
    const [x, y] = [generateSigningKey(), generateSigningKey()];
    const moved = [...rootOf(3).keys, rootEntry(x, "root"), rootEntry(y, "root")];
    const fourth = rootOf(4, { keys: [rootEntry(x, "root"), rootEntry(y, "root")] });
    served.set(2, sign(rootOf(2)));
    served.set(3, sign(rootOf(3, { keys: moved }), [b, c]));
    served.set(4, sign(fourth, [x, y]));
    expect(await walk.walk()).toBe("moved");
    expect(walk.root).toEqual(fourth);
    expect(await readFile(file)).toEqual(served.get(4));
    expect(await walk.walk()).toBe("newest");
  });

  it("goes over a root that has expired since to one that has not", async () => {
    served.set(2, sign(rootOf(2, { expiresAt: isoAt(REFERENCE - DAY) })));
    served.set(3, sign(rootOf(3, { expiresAt: isoAt(REFERENCE + DAY) })));
    expect(await walk.walk()).toBe("moved");
    expect(walk.root.version).toBe(3);
  });

  it("keeps what was good where a later one is not, and goes on when that is mended", async () => {
    served.set(2, sign(rootOf(2)));
    served.set(3, sign(rootOf(3), [strangerKey]));
    expect(await walk.walk()).toBe("moved");
    expect([walk.root.version, refusals.length]).toEqual([2, 1]);
    served.set(3, sign(rootOf(3)));
    expect(await walk.walk()).toBe("moved");
    expect([walk.root.version, refusals.length]).toEqual([3, 0]);
  });

  it("stops at a version that is missing, and can go on later", async () => {
    served.set(3, sign(rootOf(3)));
    expect(await walk.walk()).toBe("newest");
    served.set(2, sign(rootOf(2)));
    expect(await walk.walk()).toBe("moved");
    expect(walk.root.version).toBe(3);
  });

  it("walks once for two who ask at once", async () => {
    let asked = 0;
    const one = openWalk({
      controller: {
        async fetchRoot(version) {
          asked += 1;
          return toBuffer(served.get(version));
        },
      },
    });
    served.set(2, sign(rootOf(2)));
    expect(await Promise.all([one.walk(), one.walk()])).toEqual(["moved", "moved"]);
    expect(asked).toBe(2);
  });

  it.each<[string, Buffer, string]>([
    ["a gap", sign(rootOf(3)), "gap: "],
    ["the same version again", sign(rootOf(1)), "lower: "],
    ["one of another mesh", sign(rootOf(2, { mesh: "other" })), "mesh: "],
    ["one that the old keys did not sign", sign(rootOf(2, { threshold: 1 }), [b]), "threshold-before: "],
    ["one below its own threshold", sign(rootOf(2, { threshold: 3 })), "signature: "],
    ["one by a stranger", sign(rootOf(2), [strangerKey]), "key: "],
    ["one that has expired", sign(rootOf(2, { expiresAt: isoAt(REFERENCE - HOUR) })), "expired: "],
    ["a declaration", signEnvelope("declaration", Buffer.from("{}"), [a, b]), "envelope: "],
    ["one that lost its last byte", sign(rootOf(2)).subarray(0, -1), "envelope: "],
    ["one of a size that none has", Buffer.alloc(9 * 1024 * 1024, 0x20), "size: "],
    ["one with an unknown role", sign({ ...rootOf(2), keys: [{ ...rootEntry(a, "root"), roles: ["x"] }] }), "schema: "],
  ])("refuses %s for its own reason, and leaves the disk as it was", async (_name, bytes, reason) => {
    served.set(2, bytes);
    const before = await readFile(file);
    expect(await walk.walk()).toBe("refused");
    expect(refusals).toEqual([{ check: "root", message: expect.stringContaining(`root 2: ${reason}`), offered: null }]);
    expect(walk.root.version).toBe(1);
    expect(await readFile(file)).toEqual(before);
    expect(await readdir(path.dirname(file))).toEqual(["root.dsse"]);
  });

  it("refuses whatever else comes in a root's place: it says why, and the disk stays as it was", async () => {
    const before = await readFile(file);
    const rubbish = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => Buffer.from(text)),
      fc.json().map((text) => signEnvelope("root", Buffer.from(text), [a, b])),
    );
    await fc.assert(
      fc.asyncProperty(rubbish, async (bytes) => {
        refusals = [];
        served.set(2, bytes);
        expect(await walk.walk()).toBe("refused");
        expect(refusals[0]?.message.length).toBeGreaterThan("root 2: ".length);
        expect(await readFile(file)).toEqual(before);
      }),
      { numRuns: 300 },
    );
  });

  it("stays where it is while the controller does not answer, and while the disk is full", async () => {
    const away = openWalk({
      controller: {
        async fetchRoot() {
          throw new UnavailableError("the gateway does not answer");
        },
      },
    });
    expect(await away.walk()).toBe("no-answer");
    expect(refusals).toEqual([]);
    served.set(2, sign(rootOf(2)));
    const full = openWalk({
      async write() {
        throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
      },
    });
    expect(await full.walk()).toBe("not-written");
    expect(full.root.version).toBe(1);
    expect(refusals[0]?.message).toContain("cannot be written down");
  });
});
