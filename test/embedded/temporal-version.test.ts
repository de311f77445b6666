import { expect, it } from "vitest";
import { isNewEnough, parseTemporalVersion } from "../../src/embedded/temporal-version.ts";

it("reads the three versions", () => {
  expect(parseTemporalVersion("temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)\n")).toEqual({
    cli: "1.9.1",
    server: "1.32.0",
    ui: "2.54.1",
  });
});

it.each(["", "temporal version 1.9.1", "tctl version 1.18", "hello (Server 1.32.0, UI 2.54.1)"])(
  "takes %j for another program",
  (text) => {
    expect(parseTemporalVersion(text)).toBeNull();
  },
);

it.each([
  ["1.28.9", false],
  ["1.29.1", true],
  ["1.32.0", true],
  ["2.0.0", true],
  ["unknown", false],
] as const)("server %s: new enough is %s", (version, answer) => {
  expect(isNewEnough(version)).toBe(answer);
});
