import { describe, expect, it } from "vitest";
import { cutFindings, findingsKept } from "../../src/decide/cut-findings.ts";

const made = (severity: "error" | "warning", count: number, file: string) =>
  Array.from({ length: count }, (_, at) => ({ severity, file, line: at + 1, message: `${severity} ${at}` }));

describe("findings of one module", () => {
  it("are all kept where they are not too many", () => {
    const findings = made("warning", findingsKept, "a.ts");
    expect(cutFindings(findings)).toBe(findings);
  });

  it("lose warnings before errors, and say how many more there were", () => {
    const findings = [...made("warning", 300, "a.ts"), ...made("error", 2, "z.ts")];
    const kept = cutFindings(findings);
    expect(kept).toHaveLength(findingsKept);
    expect(kept.filter(({ file }) => file === "z.ts")).toEqual(made("error", 2, "z.ts"));
    expect(kept.at(-1)).toEqual({
      severity: "warning",
      file: ".",
      line: 0,
      message: "103 more findings are not kept, 0 of them errors",
    });
    // In the order in which they were found.
    expect(kept[0]).toEqual(findings[0]);
  });

  it("say of errors that are not kept that they are errors", () => {
    const kept = cutFindings(made("error", 450, "a.ts"));
    expect(kept).toHaveLength(findingsKept);
    expect(kept.at(-1)).toMatchObject({
      severity: "error",
      message: "251 more findings are not kept, 251 of them errors",
    });
  });
});
