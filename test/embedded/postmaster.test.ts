import { expect, it } from "vitest";
import { parsePostmasterFile } from "../../src/embedded/postmaster.ts";

it("reads pid, port and status", () => {
  const text = "4711\n/data\n1700000000\n25432\n\n127.0.0.1\n  123 4\nready   \n";
  expect(parsePostmasterFile(text)).toEqual({ pid: 4711, port: 25432, status: "ready" });
});

it.each(["", "4711", "4711\n/data\n17", "x\n/data\n17\n25432", "-1\n/data\n17\n25432"])(
  "takes %j for one that is not written yet",
  (text) => {
    expect(parsePostmasterFile(text)).toBeNull();
  },
);
