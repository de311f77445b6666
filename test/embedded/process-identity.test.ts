import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { isAlive, parseStat, readProcessIdentity } from "../../src/embedded/process-identity.ts";

const fields = (state: string, startTime: string): string =>
  `${state} 1 7 7 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 ${startTime} 1000 200`;

it("reads the start time past a name with blanks and brackets", () => {
  expect(parseStat(`7 (a) S 9 (b) ${fields("S", "4711")}`)).toBe("4711");
});

it("takes a zombie for gone", () => {
  expect(parseStat(`7 (node) ${fields("Z", "4711")}`)).toBeNull();
});

it("throws on what is no stat, rather than call the process gone (R42)", () => {
  expect(() => parseStat("7 (node) S 1 2")).toThrow(/not a process's stat/);
});

it("knows itself", () => {
  const self = readProcessIdentity(process.pid);
  expect(self).not.toBeNull();
  if (self !== null) expect(isAlive(self)).toBe(true);
});

it("does not take a stranger with the same pid for the process it knew", () => {
  const self = readProcessIdentity(process.pid);
  if (self === null) throw new Error("no identity");
  expect(isAlive({ ...self, startTime: "1" })).toBe(false);
  expect(isAlive({ ...self, bootId: "another boot" })).toBe(false);
});

it("sees that a process has ended", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  const identity = readProcessIdentity(child.pid ?? 0);
  if (identity === null) throw new Error("no identity");
  expect(isAlive(identity)).toBe(true);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(isAlive(identity)).toBe(false);
});
