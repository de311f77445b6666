import assert from "node:assert/strict";
import { test } from "node:test";
import { backoffMs, describeAge, escapeHtml, parseRowText } from "./index.ts";

test("what somebody typed never becomes markup", () => {
  assert.equal(escapeHtml(`<b a="1">&'`), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;");
});

test("an empty row and a row too long are refused with the reason", () => {
  assert.deepEqual(parseRowText("  hello "), { ok: true, text: "hello" });
  assert.equal(parseRowText("   ").ok, false);
  assert.equal(parseRowText("x".repeat(201)).ok, false);
});

test("an age is told in the largest unit that fits", () => {
  const now = new Date("2026-01-02T00:00:00Z");
  assert.equal(describeAge(new Date("2026-01-01T23:59:30Z"), now), "30 s ago");
  assert.equal(describeAge(new Date("2026-01-01T23:00:00Z"), now), "1 h ago");
  assert.equal(describeAge(new Date("2026-01-03T00:00:00Z"), now), "0 s ago");
});

test("waiting grows to its bound and stays there", () => {
  assert.equal(backoffMs(0, 1), 100);
  assert.equal(backoffMs(30, 1), 5000);
  assert.equal(backoffMs(30, 0), 2500);
});
