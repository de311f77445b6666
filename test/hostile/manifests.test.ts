import { describe, expect, it } from "vitest";
import { readManifest } from "../../src/source/read-manifest.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { hostileManifests } from "./inputs.ts";

describe("hostile manifests (case 53)", () => {
  it("lets a good one through, or the rest would show nothing", () => {
    expect(readManifest("module: board\nlanguage: files\nconfig: {title: x}\n", "board").kind).toBe("manifest");
  });

  it.each(hostileManifests)("refuses %s, with file and line", async (what, text) => {
    await expectRefusal(() => {
      const reading = readManifest(text, "board");
      if (reading.kind === "manifest") return null;
      const [first] = reading.findings;
      expect(first.file).toBe("mesh.yaml");
      // Of a file that is too large no line is read.
      if (what !== "ten megabytes" && what !== "a hundred thousand keys") expect(first.line).toBeGreaterThan(0);
      return {
        message: reading.findings
          .map(({ message }) => message)
          .join("; ")
          .slice(0, 1_999),
      };
    });
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});
