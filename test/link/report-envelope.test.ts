import { describe, expect, it } from "vitest";
import { signEnvelope } from "../../src/link/envelope.ts";
import { openReport, openUnorderedReport, sealReport } from "../../src/link/report-envelope.ts";
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

  it("refuses to send what the gateway would refuse to read", () => {
    const bytes = sealReport(makeReport(), hostKey).byteLength;
    expect(() => sealReport(makeReport(), hostKey, { envelopeBytes: bytes - 1, depth: 32 })).toThrow(
      `the report is ${bytes} bytes, the gateway accepts ${bytes - 1}`,
    );
    expect(sealReport(makeReport(), hostKey, { envelopeBytes: bytes, depth: 32 }).byteLength).toBe(bytes);
  });

  it("reads at most as much as it was told to", () => {
    const bytes = sealReport(makeReport(), hostKey);
    const limits = { envelopeBytes: bytes.byteLength - 1, depth: 32 };
    expect(openReport(bytes, { ...expected, limits })).toMatchObject({ ok: false, check: "size" });
  });

  it("opens what a host without an order signed, and has no order in it (R37)", () => {
    const { has: _has, boot: _boot, bootId: _bootId, sequence: _sequence, ...unordered } = makeReport();
    const sign = (report: object) => signEnvelope("report", Buffer.from(JSON.stringify(report)), [hostKey]);
    expect(openUnorderedReport(sign(unordered), expected)).toEqual({ ok: true, report: unordered });
    expect(openReport(sign(unordered), expected)).toMatchObject({ ok: false, check: "schema" });
    const foreign = { ...unordered, node: "node-b" };
    expect(openUnorderedReport(sign(foreign), expected)).toMatchObject({ ok: false, check: "node" });
  });
});
