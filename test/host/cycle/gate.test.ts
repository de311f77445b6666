import { describe, expect, it } from "vitest";
import type { ResourceReport } from "../../../src/core/report.ts";
import { digestValue } from "../../../src/decide/digest.ts";
import { gateOf } from "../../../src/host/cycle/gate.ts";
import { service } from "../../support/host-bed.ts";

const artifact = digestValue("files");

function reports(...states: [string, ResourceReport["state"]][]): Map<string, ResourceReport> {
  return new Map(states.map(([id, state]) => [id, { id, state, message: "so it is" }]));
}

describe("the gate before a resource (R2)", () => {
  const plain = service(artifact);
  const waiting = service(artifact, { after: [], presence: [{ service: "service/mq/main", withinSeconds: 60 }] });

  it.each([
    ["what it comes after is there", plain, reports(["artifact/web/files", "applied"]), 0, null],
    ["what it comes after is on its way", plain, reports(["artifact/web/files", "waiting"]), 0, "waiting"],
    ["what it comes after has failed", plain, reports(["artifact/web/files", "failed"]), 0, "un-ready"],
    ["its presence is there", waiting, reports(["service/mq/main", "applied"]), 0, null],
    [
      "its presence has failed, for less than the bound",
      waiting,
      reports(["service/mq/main", "failed"]),
      59_999,
      "waiting",
    ],
    ["its presence has failed, past the bound", waiting, reports(["service/mq/main", "failed"]), 60_000, "un-ready"],
    ["its presence is nowhere on this node", waiting, reports(), 61_000, "un-ready"],
  ] as const)("%s", (_situation, resource, known, waitedMs, state) => {
    expect(gateOf({ resource, reports: known, waitedMs })?.state ?? null).toBe(state);
  });

  it("names what is waited for and why", () => {
    const gate = gateOf({ resource: waiting, reports: reports(["service/mq/main", "un-ready"]), waitedMs: 60_000 });
    expect(gate?.message).toBe("has waited 60 s for service/mq/main, which is un-ready: so it is");
  });

  it.each([
    [plain, reports(["artifact/web/files", "waiting"]), "waits for artifact/web/files: so it is"],
    [plain, reports(["artifact/web/files", "failed"]), "waits for artifact/web/files, which is failed: so it is"],
    [waiting, reports(["service/mq/main", "failed"]), "waits for service/mq/main, which is failed: so it is"],
    [waiting, reports(), "waits for service/mq/main, which is not on this node"],
  ])("says so also before the bound: %#", (resource, known, message) => {
    expect(gateOf({ resource, reports: known, waitedMs: 0 })?.message).toBe(message);
  });

  it("looks at all that it waits for: the first that is not there decides", () => {
    const presence = ["mq", "db"].map((module) => ({ service: `service/${module}/main`, withinSeconds: 60 }));
    const both = service(artifact, { after: ["artifact/web/files", "file/web/conf"], presence });
    const known = reports(
      ["artifact/web/files", "applied"],
      ["file/web/conf", "applied"],
      ["service/mq/main", "applied"],
    );
    expect(gateOf({ resource: both, reports: known, waitedMs: 0 })?.message).toMatch(/^waits for service\/db\/main/);
    known.set("file/web/conf", { id: "file/web/conf", state: "failed", message: "" });
    expect(gateOf({ resource: both, reports: known, waitedMs: 0 })?.message).toMatch(/^waits for file\/web\/conf/);
  });

  it("is open where what it comes after is not of this pass", () => {
    expect(gateOf({ resource: plain, reports: reports(), waitedMs: 0 })).toBeNull();
  });
});
