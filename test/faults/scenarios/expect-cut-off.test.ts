import { describe, expect, it } from "vitest";
import { sayPassed, type CutOff } from "./expect-cut-off.ts";

const [before, told, newer] = [
  { epoch: 3, number: 7 },
  { epoch: 3, number: 8 },
  { epoch: 4, number: 9 },
];
const quiet: CutOff = { node: "node-a", way: "both", told, account: before, journal: [before] };

describe("a machine that is cut off from the controller (R30, case 32)", () => {
  it.each(["from", "to", "both"] as const)("%s: has nothing new, and says nothing new", (way) => {
    expect(sayPassed({ ...quiet, way })).toBeNull();
    expect(sayPassed({ ...quiet, way, account: null, journal: [] })).toBeNull();
  });

  it.each([told, newer])("%j in its journal came through, but where only what it sends is lost", (order) => {
    const journal = [before, order];
    expect(sayPassed({ ...quiet, journal })).toContain(`its journal has ${order.epoch}.${order.number}`);
    expect(sayPassed({ ...quiet, way: "to", journal })).toContain("its journal has");
    expect(sayPassed({ ...quiet, way: "from", journal })).toBeNull();
  });

  it.each([told, newer])("%j in its account came through, but where only what is sent to it is lost", (account) => {
    expect(sayPassed({ ...quiet, account })).toContain(`its account has ${account.epoch}.${account.number}`);
    expect(sayPassed({ ...quiet, way: "from", account })).toContain("its account has");
    expect(sayPassed({ ...quiet, way: "to", account })).toBeNull();
  });
});
