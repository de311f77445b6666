import { describe, expect, it } from "vitest";
import { findExpiring } from "../../src/link/find-expiring.ts";
import { generateSigningKey } from "../../src/link/keys.ts";
import type { RootRole } from "../../src/link/root.ts";
import { DAY, isoAt, makeRoot, REFERENCE, rootEntry } from "./support/fixtures.ts";

const until = (role: RootRole, days: number) =>
  rootEntry(generateSigningKey(), role, REFERENCE - DAY, REFERENCE + days * DAY);
const far = (role: RootRole) => until(role, 400);

describe("what ends soon (R33)", () => {
  it.each([
    ["nothing", [far("root"), far("declaration"), far("provenance")], 1, []],
    ["the only declaration key in 29 days", [far("root"), until("declaration", 29)], 1, ["declaration keys of root 1"]],
    [
      "one of two declaration keys: that is a rotation",
      [far("root"), until("declaration", 2), far("declaration")],
      1,
      [],
    ],
    ["a declaration key in 31 days", [far("root"), until("declaration", 31)], 1, []],
    [
      "one of two root keys that are both needed",
      [far("root"), until("root", 3), far("declaration")],
      2,
      ["root keys of root 1"],
    ],
    ["one of two root keys, one of which is needed", [far("root"), until("root", 3), far("declaration")], 1, []],
  ])("%s", (_what, keys, threshold, subjects) => {
    const found = findExpiring(makeRoot({ keys, threshold }), REFERENCE);
    expect(found.map(({ subject }) => subject)).toEqual(subjects);
  });

  it("is urgent in its last week, and says when it is over", () => {
    const root = makeRoot({ keys: [far("root"), until("declaration", 6)], expiresAt: isoAt(REFERENCE - 2 * DAY) });
    expect(findExpiring(root, REFERENCE)).toMatchObject([
      { subject: "declaration keys of root 1", urgent: true, daysLeft: 6, remedy: "mesh keys rotate declaration" },
      { subject: "root 1", urgent: true, daysLeft: -2, message: expect.stringContaining("root 1 has ended") },
    ]);
  });
});
