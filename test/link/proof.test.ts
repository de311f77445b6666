import { describe, expect, it } from "vitest";
import { checkProof, makeProof, proofWindowMs, readProof } from "../../src/link/proof.ts";
import { createReplayGuard } from "../../src/link/replay-guard.ts";
import { hostKey, REFERENCE, strangerKey } from "./support/fixtures.ts";

const request = { method: "GET", path: "/v1/blobs/x?y=1", body: Buffer.from("body") };
const header = makeProof({ ...request, node: "node-a", nowMs: REFERENCE }, hostKey);
const guard = () => createReplayGuard({ keepMs: 2 * proofWindowMs, noncesPerNode: 100 });

function check(changes: Partial<Parameters<typeof checkProof>[1]> = {}, with_ = guard(), text = header) {
  const read = readProof(text);
  if (!read.ok) return read;
  const whole = { ...request, publicKey: hostKey.publicKey, nowMs: REFERENCE, ...changes };
  return checkProof(read.proof, whole, with_);
}

describe("proof of possession", () => {
  it("is good for exactly its request", () => {
    expect(check()).toEqual({ ok: true });
    expect(check({ nowMs: REFERENCE + proofWindowMs })).toEqual({ ok: true });
    expect(check({ nowMs: REFERENCE - proofWindowMs })).toEqual({ ok: true });
  });

  it.each([
    ["another method", { method: "POST" }, "signature"],
    ["another path", { path: "/v1/blobs/x?y=2" }, "signature"],
    ["another body", { body: Buffer.from("Body") }, "signature"],
    ["another key", { publicKey: strangerKey.publicKey }, "signature"],
    ["a clock more than a minute ahead", { nowMs: REFERENCE + proofWindowMs + 1 }, "clock"],
    ["a clock more than a minute behind", { nowMs: REFERENCE - proofWindowMs - 1 }, "clock"],
  ])("is refused for %s", (_name, changes, reason) => {
    expect(check(changes)).toEqual({ ok: false, reason });
  });

  it("is good once", () => {
    const shared = guard();
    expect(check({}, shared)).toEqual({ ok: true });
    expect(check({}, shared)).toEqual({ ok: false, reason: "replayed" });
    expect(check({ nowMs: REFERENCE + proofWindowMs }, shared)).toEqual({ ok: false, reason: "replayed" });
  });

  it("that is bad does not use up the nonce of the good one", () => {
    const shared = guard();
    expect(check({ path: "/other" }, shared).ok).toBe(false);
    expect(check({}, shared).ok).toBe(true);
  });

  const [v1, node, ms, nonce, signature] = header.split(".");
  it.each([
    ["", "malformed"],
    ["v1", "malformed"],
    [`v2.${node}.${ms}.${nonce}.${signature}`, "malformed"],
    [`${v1}.Node.${ms}.${nonce}.${signature}`, "malformed"],
    [`${v1}.${node}.0${ms}.${nonce}.${signature}`, "malformed"],
    [`${v1}.${node}.${ms}.short.${signature}`, "malformed"],
    [`${v1}.${node}.${ms}.${nonce}.${signature}A`, "malformed"],
    [`${header}.more`, "malformed"],
  ])("that is not one is refused: %s", (text, reason) => {
    expect(readProof(text)).toEqual({ ok: false, reason });
  });

  it.each([
    ["moment", `${v1}.${node}.${Number(ms) + 1}.${nonce}.${signature}`],
    ["nonce", `${v1}.${node}.${ms}.${"A".repeat(22)}.${signature}`],
  ])("is good for its own %s only: whoever saw it cannot use it under another", (_what, text) => {
    expect(check({}, guard(), text)).toEqual({ ok: false, reason: "signature" });
  });

  it("of the latest moment is not good twice, until its time is over", () => {
    const early = makeProof({ ...request, node: "node-a", nowMs: REFERENCE + proofWindowMs }, hostKey);
    const shared = guard();
    expect(check({ nowMs: REFERENCE }, shared, early)).toEqual({ ok: true });
    expect(check({ nowMs: REFERENCE + 2 * proofWindowMs }, shared, early)).toEqual({ ok: false, reason: "replayed" });
    expect(check({ nowMs: REFERENCE + 2 * proofWindowMs + 1 }, shared, early)).toEqual({ ok: false, reason: "clock" });
  });

  it("that is not there is told apart", () => {
    expect(readProof(undefined)).toEqual({ ok: false, reason: "missing" });
  });
});

describe("replay guard", () => {
  it("forgets what could not be used any more, and is bounded for each node", () => {
    const bounded = createReplayGuard({ keepMs: 1000, noncesPerNode: 2 });
    expect(bounded.admit("node-a", "1", REFERENCE)).toBe(true);
    expect(bounded.admit("node-a", "2", REFERENCE + 500)).toBe(true);
    expect(bounded.admit("node-a", "3", REFERENCE + 900)).toBe(false);
    expect(bounded.admit("node-b", "3", REFERENCE + 900)).toBe(true);
    expect(bounded.admit("node-a", "3", REFERENCE + 1001)).toBe(true);
    expect(bounded.admit("node-a", "2", REFERENCE + 1001)).toBe(false);
  });

  it("goes on forgetting when the clock was set back, and admits nothing twice when that time comes again", () => {
    const hour = 3_600_000;
    const bounded = createReplayGuard({ keepMs: 1000, noncesPerNode: 3 });
    for (const nonce of ["1", "2"]) expect(bounded.admit("node-a", nonce, REFERENCE + hour)).toBe(true);
    // One every half a second: far more than one may use at a time.
    for (let at = 0; at < 100; at += 1) {
      expect(bounded.admit("node-a", `later ${at}`, REFERENCE + at * 500)).toBe(true);
    }
    const nowMs = REFERENCE + 99 * 500;
    expect([bounded.admit("node-a", "more", nowMs), bounded.admit("node-a", "later 99", nowMs)]).toEqual([
      false,
      false,
    ]);
    for (const nonce of ["1", "2"]) expect(bounded.admit("node-a", nonce, REFERENCE + hour)).toBe(false);
    expect(bounded.admit("node-a", "new", REFERENCE + hour)).toBe(true);
  });
});
