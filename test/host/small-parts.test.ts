import fc from "fast-check";
import { symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { digestValue } from "../../src/decide/digest.ts";
import { describeFailure } from "../../src/host/describe-failure.ts";
import { retryDelayMs } from "../../src/host/cycle/retry-delay.ts";
import { parseArguments } from "../../src/host/parse-arguments.ts";
import { readMarker, writeMarker } from "../../src/host/providers/provision-marker.ts";
import { hashRabbitmqPassword, isRabbitmqHashOf } from "../../src/host/providers/rabbitmq-password.ts";
import { isScramVerifierOf, makeScramVerifier } from "../../src/host/providers/scram-verifier.ts";
import { createRedactor } from "../../src/host/redactor.ts";
import { fillTemplate } from "../../src/host/resources/fill-template.ts";
import { prepareInRoot, resolveInRoot } from "../../src/host/resources/path-in-root.ts";
import { restartDelayMs } from "../../src/host/supervisor/restart-delay.ts";
import { makeFolder } from "../support/host-bed.ts";

describe("words of the command line (R48)", () => {
  it("are understood", () => {
    expect(parseArguments(["run", "--dir", "/x", "--interval=5"])).toEqual({
      command: "run",
      dir: "/x",
      intervalMs: 5000,
      adminPasswordFiles: [],
      stopServicesOnExit: false,
    });
    const named = ["run", "--dir", "/x", "--admin-password-file", "/a", "--admin-password-file=/b"];
    expect(parseArguments(named)).toMatchObject({ adminPasswordFiles: ["/a", "/b"] });
    for (const words of [["enrol", "--help"], ["run", "-h"], ["stop", "--dir", "/x", "--help"], ["--help"]])
      expect(parseArguments(words)).toEqual({ command: "help" });
    expect(parseArguments(["stop", "--dir=/x"])).toEqual({ command: "stop", dir: "/x" });
  });

  it.each([
    [],
    ["fly"],
    ["run"],
    ["run", "--dir"],
    ["run", "--dir", "/x", "--dir", "/y"],
    ["run", "--dir", "/x", "--interval", "soon"],
    ["run", "--dir", "/x", "extra"],
    ["run", "--dir", "/x", "--stop-services-on-exit=no"],
    ["enrol", "--dir", "/x"],
    ["enrol", "--dir", "/x", "--token", "a"],
    ["enrol", "--dir", "/x", "--token=a", "--token-file", "b"],
  ])("are refused with what to do: %j", (...words) => {
    expect(() => parseArguments(words.flat())).toThrow(expect.objectContaining({ name: "InputError" }));
  });
});

describe("a token on the command line (R46)", () => {
  it.each([
    ["alone", ["enrol", "--token", "a"]],
    ["with the rest", ["enrol", "--dir", "/x", "--token=a", "--token-file", "-"]],
  ])("is answered with where tokens go, before anything else that is missing: %s", (_what, words) => {
    expect(() => parseArguments(words)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining("would show the token"),
        next: expect.stringContaining("--token-file -"),
      }),
    );
  });
});

describe("secrets in texts (R46, case 51)", () => {
  it("are taken out in every spelling", () => {
    const redactor = createRedactor();
    const secret = 'p@ss/"word"+€';
    redactor.remember(secret);
    const bytes = Buffer.from(secret);
    const spellings = [
      secret,
      encodeURIComponent(secret),
      bytes.toString("base64"),
      bytes.toString("base64url"),
      JSON.stringify(secret),
    ];
    for (const spelling of spellings) expect(redactor.redact(`x ${spelling} y`)).not.toContain(spelling);
  });

  it("are put in order once for a text, however many came before it", () => {
    const redactor = createRedactor();
    const sort = vi.spyOn(Array.prototype, "toSorted");
    try {
      for (let at = 0; at < 1_000; at += 1) redactor.remember(`password-${at}`);
      expect(redactor.redact("password-999, password-1")).toBe("[REDACTED], [REDACTED]");
      redactor.redact("nothing new");
      expect(sort.mock.calls).toHaveLength(1);
    } finally {
      sort.mockRestore();
    }
  });

  it("are taken out whole where one begins as another", () => {
    const redactor = createRedactor();
    for (const secret of ["hunter2", "hunter2-and-more"]) redactor.remember(secret);
    expect(redactor.redact("it is hunter2-and-more, or hunter2")).toBe("it is [REDACTED], or [REDACTED]");
  });
});

describe("paths in the root (case 49, case 52)", () => {
  it("are refused when they would leave it", async () => {
    const root = await makeFolder();
    for (const bad of ["../x", "a/../../x", "/etc/passwd", "a//b", "a/./b", "", "a\0b", ".hidden"]) {
      await expect(resolveInRoot(root, bad), bad).rejects.toThrow("is no path inside the root");
    }
    await symlink("/etc", path.join(root, "link"));
    await expect(prepareInRoot(root, "link/passwd")).rejects.toThrow("link is a link or no folder");
    expect(await prepareInRoot(root, "a/b/c")).toBe(path.join(root, "a/b/c"));
  });
});

describe("small decisions", () => {
  it("wait longer each time, within bounds, and spread (L1)", () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.double({ min: 0, max: 0.999, noNaN: true }), (failures, chance) => {
        expect(retryDelayMs(failures, chance)).toBeLessThanOrEqual(60_100);
        expect(retryDelayMs(failures, chance)).toBeGreaterThanOrEqual(100);
        expect(restartDelayMs(failures + 1)).toBeGreaterThanOrEqual(restartDelayMs(failures));
        expect(restartDelayMs(failures)).toBeLessThanOrEqual(30_000);
      }),
    );
  });

  it("read back the markers that they wrote, and only their own", () => {
    const owner = { mesh: "demo", node: "node-b", module: "postgres" };
    const marker = { provision: "node-a.web.db@node-b.postgres.0123", version: 7 };
    const text = writeMarker("demo", marker);
    expect(readMarker(text, owner)).toEqual(marker);
    for (const other of [{ mesh: "other" }, { node: "node-c" }, { module: "postgres2" }]) {
      expect(readMarker(text, { ...owner, ...other })).toBeNull();
    }
    for (const bad of [null, "", "a comment", `${text}0x`, "mesh:demo:x:0", "mesh:demo::1"])
      expect(readMarker(bad, owner)).toBeNull();
  });

  it("compare passwords by what servers keep of them", async () => {
    expect(await isScramVerifierOf(await makeScramVerifier("secret-1"), "secret-1")).toBe(true);
    expect(await isScramVerifierOf(await makeScramVerifier("secret-1"), "secret-2")).toBe(false);
    expect(isRabbitmqHashOf(hashRabbitmqPassword("secret-1"), "secret-1")).toBe(true);
    expect(isRabbitmqHashOf(hashRabbitmqPassword("secret-1"), "secret-2")).toBe(false);
    for (const rubbish of ["", "md5abc", "SCRAM-SHA-256$0:x$y"]) {
      expect(await isScramVerifierOf(rubbish, "secret-1")).toBe(false);
      expect(isRabbitmqHashOf(rubbish, "secret-1")).toBe(false);
    }
    // The example of RFC 7677, with its salt and rounds.
    const salt = Buffer.from("W22ZaJ0SNY7soEsUEjb6gQ==", "base64");
    expect(await makeScramVerifier("pencil", salt)).toContain(":wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=");
  });

  it("fill in this host's paths and nothing else", () => {
    const digest = digestValue("x");
    const filled = fillTemplate("${data}|${etc}|${artifact}", "/r", "web", digest);
    expect(filled).toBe(`/r/data/web|/r/etc/web|/r/modules/web/${digest.slice(7, 19)}`);
    for (const bad of ["${home}", "${}", "${config.port}"]) {
      expect(() => fillTemplate(bad, "/r", "web", digest)).toThrow("means nothing on this host");
    }
    expect(() => fillTemplate("${artifact}", "/r", "web", null)).toThrow("means nothing on this host");
  });

  it("call a full disk by its name", () => {
    expect(describeFailure(Object.assign(new Error("ENOSPC: write"), { code: "ENOSPC" }))).toBe(
      "no space: ENOSPC: write",
    );
    const cause = Object.assign(new Error("EDQUOT: write"), { code: "EDQUOT" });
    expect(describeFailure(new Error("not unpacked", { cause }))).toBe("not unpacked: no space: EDQUOT: write");
    expect(describeFailure(new Error("x".repeat(5000)))).toHaveLength(1000);
  });
});
