import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readBrokerUrl } from "./provisions.ts";

test("reads the broker's address from its provisions", () => {
  const file = join(mkdtempSync(join(tmpdir(), "talker-")), "provisions.json");
  writeFileSync(file, JSON.stringify({ broker: { url: "amqp://u:p@h:1/v" } }));
  assert.equal(readBrokerUrl(file), "amqp://u:p@h:1/v");
});

test("says which file has no broker", () => {
  assert.throws(() => readBrokerUrl(undefined), /MESH_PROVISIONS/);
});
