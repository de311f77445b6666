import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readEnrolledAt, whyEnrol } from "../../../src/cli/up/why-enrol.ts";

const gateway = "https://10.0.0.5:21000";

it("leaves a host of the examples as it is that calls the gateway where it is", () => {
  expect(whyEnrol({ incarnation: "abc", at: gateway }, gateway)).toBeNull();
});

it("enrols one that the records do not know, or that did not live to hear of it (R50)", () => {
  expect(whyEnrol({ incarnation: null, at: gateway }, gateway)).toBe("it was not yet");
  expect(whyEnrol({ incarnation: "abc", at: null }, gateway)).toBe("it was not yet");
});

it("enrols one again that would call where the gateway listens no more: another port, or another address (R50)", () => {
  for (const at of ["https://10.0.0.5:22000", "https://127.0.0.1:21000"])
    expect(whyEnrol({ incarnation: "abc", at }, gateway)).toBe(
      `again: it calls ${at}, and the gateway is at ${gateway} now`,
    );
});

it("reads where a host calls from what the host keeps; a damaged one is an error and not a host that never enrolled (R42)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mesh-enrolled-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  expect(await readEnrolledAt(folder)).toBeNull();
  await mkdir(join(folder, "keys"));
  const file = join(folder, "keys", "enrolment.json");
  await writeFile(file, JSON.stringify({ schema: 1, node: "node-a", url: gateway }));
  expect(await readEnrolledAt(folder)).toBe(gateway);
  for (const text of ["{", "{}", '{"url":7}']) {
    await writeFile(file, text);
    await expect(readEnrolledAt(folder)).rejects.toThrow(file);
  }
});
