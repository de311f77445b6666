import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readEnrolledAt, whyEnrol } from "../../../src/cli/up/why-enrol.ts";

const gateway = { url: "https://10.0.0.5:21000", ca: "the authority" };
const place = { ...gateway, incarnation: "abc" };

it("leaves a host of the examples as it is that calls the gateway where it is", () => {
  expect(whyEnrol({ incarnation: "abc", place }, gateway)).toBeNull();
});

it("enrols one that the records do not know, or that did not live to hear of it (R50)", () => {
  expect(whyEnrol({ incarnation: null, place }, gateway)).toBe("it was not yet");
  expect(whyEnrol({ incarnation: "abc", place: null }, gateway)).toBe("it was not yet");
});

it("enrols one again that would call where the gateway listens no more: another port, or another address (R50)", () => {
  for (const url of ["https://10.0.0.5:22000", "https://127.0.0.1:21000"])
    expect(whyEnrol({ incarnation: "abc", place: { ...place, url } }, gateway)).toBe(
      `again: it calls ${url}, and the gateway is at ${gateway.url} now`,
    );
});

it("enrols one again that pins the authority from before its end was put off", () => {
  const pinned = { ...place, ca: "the authority, ending sooner" };
  expect(whyEnrol({ incarnation: "abc", place: pinned }, gateway)).toMatch(
    /^again: the mesh's certificate authority has another/,
  );
});

it("enrols one again whose key the records do not have: they were restored to before it was enrolled anew (R35)", () => {
  expect(whyEnrol({ incarnation: "old", place }, gateway)).toBe(
    "again: its own key is abc, and the records have old, as after a restore",
  );
});

it("reads where a host calls from what the host keeps; a damaged one is an error and not a host that never enrolled (R42)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mesh-enrolled-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  expect(await readEnrolledAt(folder)).toBeNull();
  await mkdir(join(folder, "keys"));
  const file = join(folder, "keys", "enrolment.json");
  await writeFile(file, JSON.stringify({ schema: 1, node: "node-a", ...place }));
  expect(await readEnrolledAt(folder)).toMatchObject(place);
  for (const text of ["{", "{}", '{"url":7,"ca":"","incarnation":""}', '{"url":"","ca":""}']) {
    await writeFile(file, text);
    await expect(readEnrolledAt(folder)).rejects.toThrow(file);
  }
});
