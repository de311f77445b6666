import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explainFailure, explainNoAnswer } from "../../src/cli/explain-no-answer.ts";
import { LostLeaseError } from "../../src/cli/lost-lease-error.ts";
import { UnavailableError } from "../../src/core/errors.ts";
import type { TightDisk } from "../../src/core/tight-disk.ts";
import { readProcessIdentity } from "../../src/embedded/process-identity.ts";
import { readFailure } from "../../src/store/failure.ts";

const withCode = (code: string): Error => Object.assign(new Error(`connect ${code}`), { code });
const refused = withCode("ECONNREFUSED");
const nothing = { fullDisk: null, keeper: null };
const fullDisk: TightDisk = {
  folders: ["/srv/.mesh"],
  room: "none",
  freeBytes: 0,
  totalBytes: 2 ** 23,
  freeNames: 0,
  totalNames: 0,
};

describe("a mesh that is not up (R48)", () => {
  it("is said as that, with the command that brings it up, and without SQL", () => {
    const said = explainNoAnswer(readFailure(refused, 'running "select name from mesh"'), "/srv/.mesh", nothing);
    expect(said).toMatchObject({
      message: "the mesh in /srv/.mesh is not up: its PostgreSQL does not answer (ECONNREFUSED)",
      next: "npm start (mesh up --state /srv/.mesh)",
    });
  });

  it.each([
    ["no answer of something else", new UnavailableError("Temporal did not answer", "", { cause: refused })],
    ["an answer that took too long", readFailure(new Error("timeout exceeded"), "running")],
    ["our own bug", new TypeError("x")],
  ])("is not said of %s", (_what, error) => {
    expect(explainNoAnswer(error, "/srv/.mesh", nothing)).toBe(error);
  });

  it.each(["57P03", "ECONNREFUSED"])(
    "is waited for while somebody brings it up (%s): a second start is refused",
    (code) => {
      const error = readFailure(withCode(code), "running");
      expect(explainNoAnswer(error, "/srv/.mesh", { fullDisk: null, keeper: 77 })).toMatchObject({
        message: expect.stringContaining("is being worked on (pid 77"),
        next: expect.stringMatching(/^wait some seconds, then try again/),
      });
    },
  );

  it.each([
    ["nobody runs it", null, "then: npm start (mesh up --state /srv/.mesh)"],
    ["it is kept running", 77, "pid 77"],
  ])("needs room first where its disk is full and %s (R44)", (_what, keeper, words) => {
    expect(explainNoAnswer(readFailure(refused, "running"), "/srv/.mesh", { fullDisk, keeper })).toMatchObject({
      message: expect.stringContaining("the disk of /srv/.mesh is full: 0 KiB of 8192 KiB left"),
      next: expect.stringMatching(/^make room on the disk of \/srv\/.mesh/),
    });
    expect(explainNoAnswer(readFailure(refused, "running"), "/srv/.mesh", { fullDisk, keeper })).toMatchObject({
      next: expect.stringContaining(words),
    });
  });

  it("says of anything else that did not answer that the disk is full, in its own words", () => {
    const error = new UnavailableError("no controller acts", "npm start");
    expect(explainNoAnswer(error, "/srv/.mesh", { fullDisk, keeper: null })).toMatchObject({
      message: expect.stringMatching(/^no controller acts; the disk of/),
      next: expect.stringMatching(/^make room/),
      cause: error,
    });
  });
});

describe("the look at the state folder of a mesh that does not answer (R48)", () => {
  const error = readFailure(refused, "running");
  const context = { findTightDisks: () => Promise.resolve([]) };

  async function explainIn(lock: string | null): Promise<unknown> {
    const state = mkdtempSync(join(tmpdir(), "mesh-explain-"));
    try {
      await mkdir(join(state, "run"));
      if (lock !== null) await writeFile(join(state, "run", "lock.json"), lock);
      return await explainFailure(error, { context, state });
    } finally {
      rmSync(state, { recursive: true });
    }
  }

  it("finds who works on it, and nobody where that one is gone", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const owner = readProcessIdentity(child.pid ?? 0);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    const lock = JSON.stringify({ owner, token: "a" });
    expect(await explainIn(lock)).toMatchObject({ message: expect.stringContaining(`(pid ${child.pid}`) });
    child.kill("SIGKILL");
    await ended;
    expect(await explainIn(lock)).toMatchObject({ next: expect.stringMatching(/^npm start/) });
    expect(await explainIn(null)).toMatchObject({ next: expect.stringMatching(/^npm start/) });
  });

  it("that fails is said beside what did not answer, and takes its place nowhere (R26)", async () => {
    expect(await explainIn("{")).toMatchObject({
      message: expect.stringMatching(/^PostgreSQL did not answer.*could not be looked at: .*not JSON/),
      cause: error,
    });
  });

  it("is not taken of a lost lease, which is answered at once (R34)", async () => {
    const lost = new LostLeaseError("lost");
    const never = { findTightDisks: () => Promise.reject(new Error("looked")) };
    expect(await explainFailure(lost, { context: never, state: "/nowhere" })).toBe(lost);
  });
});
