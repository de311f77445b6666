import { mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Declaration } from "../../../src/core/declaration.ts";
import { createInbox, type OpenInbox } from "../../../src/host/cycle/inbox.ts";
import { createHostDisk, type HostDisk } from "../../../src/host/state/host-disk.ts";
import { openDeclaration, openKeptDeclaration, sealDeclaration } from "../../../src/link/declaration-envelope.ts";
import { signEnvelope } from "../../../src/link/envelope.ts";
import { incarnationOf } from "../../../src/link/keys.ts";
import type { Root } from "../../../src/link/root.ts";
import {
  declarationKey,
  expiredKey,
  futureKey,
  hostKey,
  isoAt,
  makeDeclaration,
  makeRoot,
  REFERENCE,
  rootEntry,
  rootKey,
  strangerKey,
} from "../../link/support/fixtures.ts";

const never = (): void => undefined;
const mine = { mesh: "demo", node: "node-a", incarnation: incarnationOf(hostKey.publicKey) };
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "mesh-inbox-"));
});

function open(root: Root = makeRoot(), failing: Partial<HostDisk> = {}): Promise<OpenInbox> {
  return createInbox({
    addressee: {
      ...mine,
      open: (envelope, nowMs) => openDeclaration(envelope, { ...mine, root, nowMs }),
      openUnsigned: (envelope) => openKeptDeclaration(envelope, mine),
    },
    renewRoot: async () => undefined,
    disk: { ...createHostDisk(folder, () => undefined), ...failing },
    log: { info: never, warn: never, error: never },
    nowMs: () => REFERENCE,
  });
}

/** Everything on disk but the count of refusals. */
async function readState(): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => name !== "refusals.json").toSorted();
  const files = await Promise.all(names.map(async (name) => [name, await readFile(path.join(folder, name), "base64")]));
  return Object.fromEntries(files) as Record<string, string>;
}

const sealed = (changes: Partial<Declaration> = {}, key = declarationKey): Buffer =>
  sealDeclaration(makeDeclaration(changes), [key]);
const smallOrder = { ...rootEntry(declarationKey, "declaration"), publicKey: Buffer.alloc(32).toString("base64") };

describe("what a host refuses leaves its state as it was (R43, case 45)", () => {
  it.each([
    ["an expired key", sealed({ number: 8 }, expiredKey), "expired", undefined],
    ["a key that is not valid yet", sealed({ number: 8 }, futureKey), "not valid before", undefined],
    ["a key of another role", sealed({ number: 8 }, rootKey), "another role", undefined],
    ["a key that no root lists", sealed({ number: 8 }, strangerKey), "not known here", undefined],
    ["a root with a key of small order", sealed({ number: 8 }), "small order", makeRoot({ keys: [smallOrder] })],
    ["a root that has expired", sealed({ number: 8 }), "root 1 expired", makeRoot({ expiresAt: isoAt(REFERENCE - 1) })],
  ])("%s: check key, in its own words", async (_what, bytes, words, root) => {
    await (await open()).receive(sealed());
    const before = await readState();
    const inbox = await open(root);
    expect(await inbox.receive(bytes)).toBe("refused");
    expect(inbox.refusals).toMatchObject([{ check: "key", message: expect.stringContaining(words), count: 1 }]);
    expect(await readState()).toEqual(before);
  });

  it("whatever comes: it says why, and never throws", async () => {
    await (await open()).receive(sealed());
    const before = await readState();
    const inbox = await open();
    const good = sealed({ number: 8 });
    const rubbish = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => Buffer.from(text)),
      fc.json().map((text) => signEnvelope("declaration", Buffer.from(text), [declarationKey])),
      fc
        .record({ epoch: fc.anything(), number: fc.anything(), content: fc.anything(), sealed: fc.anything() })
        .map((members) => JSON.stringify({ ...makeDeclaration(), ...members }))
        .map((text) => signEnvelope("declaration", Buffer.from(text), [declarationKey])),
      fc.nat({ max: good.length * 8 - 1 }).map((bit) => {
        const flipped = Buffer.from(good);
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        return flipped;
      }),
    );
    await fc.assert(
      fc.asyncProperty(rubbish, async (bytes) => {
        expect(await inbox.receive(bytes)).toBe("refused");
        expect(inbox.refusals[0]?.message).not.toBe("");
        expect(await readState()).toEqual(before);
      }),
      { numRuns: 300 },
    );
    expect(await inbox.receive(good)).toBe("accepted");
  }, 120_000);
});

describe("what a host has accepted stays good for itself when its key ends (R44)", () => {
  const without = makeRoot({ version: 2, keys: [rootEntry(rootKey, "root"), rootEntry(strangerKey, "declaration")] });

  it("comes up with it, and takes nothing else that this key signs", async () => {
    await (await open()).receive(sealed());
    const inbox = await open(without);
    expect(inbox.accepted?.declaration.number).toBe(7);
    expect(await inbox.receive(sealed({ number: 8 }))).toBe("refused");
    expect(await inbox.receive(sealed({ number: 8 }, strangerKey))).toBe("accepted");
  });

  it("does not come up with a kept one that the mark was not written for", async () => {
    await (await open()).receive(sealed());
    const put = (envelope: Uint8Array) => writeFile(path.join(folder, "accepted.dsse"), envelope);
    await put(sealed({ number: 8 }));
    expect((await open(without)).accepted).toBeNull();
    const content = { node: "node-a", builds: {}, resources: [] };
    const other = { ...makeDeclaration({ content: { ...content, builds: { web: `sha256:${"0".repeat(64)}` } } }) };
    await put(sealDeclaration(other, [declarationKey]));
    expect((await open(without)).accepted).toBeNull();
  });
});

describe("a disk that is full between the envelope and its mark (R44, case 47)", () => {
  const full = () => Promise.reject(Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" }));
  const cutAtMark = { writeMark: full };
  const allFull = { writeNext: full, writeMark: full, writeRefusals: full };
  const numberOf = (inbox: OpenInbox): number | undefined => inbox.accepted?.declaration.number;

  it("leaves what was accepted in force, over a restart while it is still full, until there is room", async () => {
    await (await open()).receive(sealed());
    const cut = await open(makeRoot(), cutAtMark);
    expect(await cut.receive(sealed({ number: 8 }))).toBe("not-written");
    // A second try writes its envelope again.
    expect(await cut.receive(sealed({ number: 8 }))).toBe("not-written");
    expect(numberOf(cut)).toBe(7);

    const restarted = await open(makeRoot(), allFull);
    expect(numberOf(restarted)).toBe(7);
    expect(await restarted.receive(sealed({ number: 8 }))).toBe("not-written");
    expect(restarted.stateProblem).toMatch(/^declaration \d+\.8 cannot be written down: no space/);

    const roomy = await open();
    expect(numberOf(roomy)).toBe(7);
    expect(await roomy.receive(sealed({ number: 8 }))).toBe("accepted");
    expect(numberOf(await open())).toBe(8);
  });

  it("accepts nothing without a mark: not the first one, and not what a release before left unmarked", async () => {
    const first = await open(makeRoot(), cutAtMark);
    expect(await first.receive(sealed())).toBe("not-written");
    expect(numberOf(await open())).toBeUndefined();
    await (await open()).receive(sealed());
    await writeFile(path.join(folder, "accepted.dsse"), sealed({ number: 8 }));
    expect(numberOf(await open(makeRoot(), allFull))).toBeUndefined();
    expect(numberOf(await open())).toBe(8);
  });

  it("comes up with what the mark was written for where that has not taken its place, and loses it to nothing newer", async () => {
    await (await open()).receive(sealed());
    const unplaced = { keepNext: () => Promise.reject(new Error("EIO")) };
    const cut = await open(makeRoot(), unplaced);
    expect(await cut.receive(sealed({ number: 8 }))).toBe("accepted");
    expect(await cut.receive(sealed({ number: 9 }))).toBe("not-written");
    const restarted = await open(makeRoot(), { ...unplaced, ...cutAtMark });
    expect(numberOf(restarted)).toBe(8);
    expect(await restarted.receive(sealed({ number: 9 }))).toBe("not-written");
    const cutAgain = await open(makeRoot(), cutAtMark);
    expect(numberOf(cutAgain)).toBe(8);
    expect(await cutAgain.receive(sealed({ number: 9 }))).toBe("not-written");
    expect(numberOf(await open())).toBe(8);
  });
});

describe("refusals that come together", () => {
  it("are all written down: a root may be refused while a declaration is", async () => {
    const disk = createHostDisk(folder, () => undefined);
    const said: string[] = [];
    const inbox = await createInbox({
      addressee: {
        ...mine,
        open: (envelope, nowMs) => openDeclaration(envelope, { ...mine, root: makeRoot(), nowMs }),
        openUnsigned: (envelope) => openKeptDeclaration(envelope, mine),
      },
      renewRoot: async () => undefined,
      disk,
      log: { info: never, warn: (message) => said.push(message), error: never },
      nowMs: () => REFERENCE,
    });
    const numbers = [1, 2, 3, 4, 5];
    await Promise.all(
      numbers.map((number) => inbox.note({ check: "root", message: "no", offered: { epoch: 1, number } })),
    );
    expect((await disk.readRefusals()).map(({ offered }) => offered?.number)).toEqual(numbers.toReversed());
    expect(said.filter((message) => message !== "root refused")).toEqual([]);
  });
});
