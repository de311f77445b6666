import { describe, expect, it } from "vitest";
import { narrowStatus, statusCode } from "../../src/cli/status/status-code.ts";
import { settled, troubled } from "./settled-status.ts";

describe("status of one node", () => {
  it("ends with what is urgent of it, and not with what only has its name in a path (R48)", () => {
    const [open] = troubled.conditions;
    const narrowed = (code: string, subject: string) =>
      narrowStatus(
        { ...settled, conditions: open === undefined ? [] : [{ ...open, code, subject, urgent: true }] },
        "node-a",
      );
    const codeWith = (code: string, subject: string): number => statusCode(narrowed(code, subject) ?? settled);
    expect(narrowed("host-disk-full", "node-a /var/lib/shop")?.conditions).toHaveLength(1);
    expect(codeWith("host-disk-full", "node-a /var/lib/shop")).toBe(2);
    expect(codeWith("disk-full", "/srv/node-a/.mesh")).toBe(0);
  });
});
