import { describe, expect, it } from "vitest";
import { generateSigningKey, type SigningKey } from "../../src/link/keys.ts";
import { fillGap, findRootGaps } from "../../src/link/root-chain.ts";
import { createRoot } from "../../src/link/root.ts";
import { DAY, isoAt, REFERENCE } from "./support/fixtures.ts";

const mesh = "home";
const [a, b] = Array.from({ length: 2 }, generateSigningKey) as [SigningKey, SigningKey];

/** Lists one root key, and is signed by it and by those that are named. */
function rootOf(version: number, key: SigningKey, signers: readonly SigningKey[] = []): Buffer {
  const keys = [
    {
      publicKey: key.publicKey,
      roles: ["root" as const],
      notBefore: isoAt(REFERENCE),
      notAfter: isoAt(REFERENCE + DAY),
    },
  ];
  return createRoot({ schema: 1, mesh, version, threshold: 1, keys }, [key, ...signers]);
}

const offer = (...roots: readonly (readonly [number, Buffer])[]) => new Map(roots);

describe("which roots are missing", () => {
  it.each([
    ["none", [1, 2, 3], []],
    ["none of no roots", [], []],
    ["root 1 never is: a host enrols with one", [2, 3], []],
    ["one between others", [5, 3, 1, 2], [{ from: 4, to: 4 }]],
    [
      "several, below the lowest too",
      [4, 7],
      [
        { from: 2, to: 3 },
        { from: 5, to: 6 },
      ],
    ],
    ["very many, told in no time", [1, 9_007_199_254_740_991], [{ from: 2, to: 9_007_199_254_740_990 }]],
  ])("%s", (_what, versions, gaps) => {
    expect(findRootGaps(versions)).toEqual(gaps);
  });
});

describe("what closes a gap", () => {
  const before = rootOf(3, a);
  const after = rootOf(5, b);
  const between = rootOf(4, b, [a]);
  const gap = { from: 4, to: 4 };

  it("is vouched for by the one before, and vouches for the one after", () => {
    expect(fillGap(gap, { mesh, before, after, offered: offer([4, between]) })).toEqual({
      ok: true,
      roots: [{ version: 4, envelope: between }],
    });
  });

  it.each([
    ["is not there", offer(), 4],
    ["the one before did not sign", offer([4, rootOf(4, b)]), 4],
    ["does not vouch for the one after", offer([4, rootOf(4, a)]), 5],
    ["has another version than its name", offer([4, rootOf(6, b, [a])]), 4],
    ["is no root", offer([4, Buffer.from("hello")]), 4],
  ])("is not one that %s", (_what, offered, version) => {
    expect(fillGap(gap, { mesh, before, after, offered })).toMatchObject({ ok: false, version });
  });

  it("is all of it or none, and never of another mesh", () => {
    const wide = { from: 4, to: 5 };
    const six = rootOf(6, b);
    expect(fillGap(wide, { mesh, before, after: six, offered: offer([4, between]) })).toMatchObject({ version: 5 });
    const both = offer([4, between], [5, after]);
    expect(fillGap(wide, { mesh, before, after: six, offered: both })).toMatchObject({ ok: true });
    expect(fillGap(wide, { mesh: "other", before, after: six, offered: both })).toMatchObject({ ok: false });
  });
});
