import { describe, expect, it } from "vitest";
import { signEnvelope } from "../../src/link/envelope.ts";
import { openReport, sealReport } from "../../src/link/report-envelope.ts";
import { hostKey, makeReport, strangerKey } from "./support/fixtures.ts";

const expected = { mesh: "demo", node: "node-a", signKey: hostKey.publicKey };

describe("report envelope", () => {
  it("opens what this host signed", () => {
    expect(openReport(sealReport(makeReport(), hostKey), expected)).toEqual({ ok: true, report: makeReport() });
  });

  it.each([
    ["by another host's key (R38, case 39)", sealReport(makeReport(), strangerKey), "key"],
    ["of another node", sealReport(makeReport({ node: "node-b" }), hostKey), "node"],
    ["of another mesh", sealReport(makeReport({ mesh: "other" }), hostKey), "mesh"],
    ["of another life of this node", sealReport(makeReport({ incarnation: "0000" }), hostKey), "incarnation"],
    ["without the members of one", signEnvelope("report", Buffer.from("{}"), [hostKey]), "schema"],
    ["that is a declaration", signEnvelope("declaration", Buffer.from("{}"), [hostKey]), "envelope"],
  ])("refuses a report %s", (_name, bytes, check) => {
    expect(openReport(bytes, expected)).toMatchObject({ ok: false, check });
  });
});
