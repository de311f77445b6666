import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { parseJournal } from "../faults/history/read-journal.ts";
import {
  eventually,
  putArtifact,
  raiseHostBed,
  readText,
  service,
  textFile,
  type HostBed,
} from "../support/host-bed.ts";
import { packFiles } from "../support/pack-files.ts";

let bed: HostBed | null = null;

afterEach(async () => {
  await bed?.close();
  bed = null;
});

describe("what a host accepts, and what a kill leaves", { timeout: 60_000 }, () => {
  it("completes what a kill has cut, and says half until then (R44, case 46)", async () => {
    bed = await raiseHostBed();
    const packed = await packFiles({ "main.js": "setInterval(() => {}, 1000)" });
    const artifact = putArtifact(bed, packed);
    const file = textFile("settings", "after the artifact", { after: ["artifact/web/files"] });
    // The blob hangs: the host is killed between two resources, wherever it is then.
    const { records } = bed.raised;
    let asked = 0;
    records.openBlob = async () => {
      asked += 1;
      return new Promise(() => undefined);
    };
    await bed.send(1, [textFile("first", "before"), artifact, file, service(packed.digest)]);
    bed.start();
    await eventually(() => asked > 0, "the download has begun");
    await bed.end("SIGKILL");
    expect(bed.reports.some(({ outcome }) => outcome === "applied")).toBe(false);
    records.openBlob = async (digest, { start, end }) =>
      Readable.from([records.blobs.get(digest)?.subarray(start, end + 1)]);
    bed.start();
    const first = await bed.report((report) => report.boot === 2, "a report of the second start");
    const done = await bed.report((report) => report.outcome === "applied", "applied");
    expect(bed.reports.find((report) => report.boot === 2)?.outcome).toBe("half");
    expect(done.sequence).toBeGreaterThan(first.sequence);
    expect(await readText(path.join(bed.root, "etc/web/settings"))).toBe("after the artifact");
  });

  it("comes back three numbers behind: the newest alone is accepted, and applied once (R13, case 32)", async () => {
    bed = await raiseHostBed();
    await bed.send(1, [textFile("settings", "one")]);
    bed.start();
    await bed.report(({ outcome }) => outcome === "applied", "applied");
    await bed.end("SIGKILL");
    const before = bed.log().length;
    for (const [number, text] of [
      [2, "two"],
      [3, "three"],
      [4, "four"],
    ] as const)
      await bed.send(number, [textFile("settings", text)]);
    bed.start();
    await bed.report(({ outcome, has }) => outcome === "applied" && has?.number === 4, "the newest applied");
    const journal = parseJournal("node-a", bed.log().slice(before));
    // What it kept of before comes first, as after any start.
    const since = journal.map(({ what, number }) => `${what} ${number}`).filter((line) => !line.endsWith(" 1"));
    expect(since).toEqual(["accepted 4", "applied 4"]);
    expect(await readText(path.join(bed.root, "etc/web/settings"))).toBe("four");
    expect(bed.reports.filter(({ has }) => has?.number === 2 || has?.number === 3)).toEqual([]);
  });

  it("refuses an older number, and one with other content, with the mark unchanged (R27, R38)", async () => {
    bed = await raiseHostBed();
    await bed.send(5, [textFile("settings", "five")]);
    bed.start();
    await bed.report(({ outcome }) => outcome === "applied", "applied");
    const mark = await readText(path.join(bed.dir, "state/mark.json"));
    const older = await bed.declaration({
      number: 4,
      content: { node: "node-a", builds: {}, resources: [textFile("settings", "four")] },
    });
    const same = await bed.declaration({ number: 5, content: { node: "node-a", builds: {}, resources: [] } });
    for (const [declaration, check] of [
      [older, "older"],
      [same, "same-number-other-digest"],
    ] as const) {
      // A gateway that sends it all the same: the fence is at the host.
      const bytes = bed.envelope(declaration);
      bed.raised.records.newestEnvelope = async () => bytes;
      bed.raised.records.send("node-a", { epoch: 9, number: 9 }, bytes);
      const report = await bed.report(({ refusals }) => refusals.some((each) => each.check === check), check);
      expect(report.has).toEqual({ epoch: 1, number: 5 });
    }
    expect(await readText(path.join(bed.dir, "state/mark.json"))).toBe(mark);
    expect(await readText(path.join(bed.root, "etc/web/settings"))).toBe("five");
  });

  it("refuses a changed envelope before anything is touched or fetched (R43, case 45)", async () => {
    bed = await raiseHostBed();
    const packed = await packFiles({ "main.js": "" });
    const content = { node: "node-a", builds: {}, resources: [putArtifact(bed, packed), textFile("settings", "evil")] };
    const bytes = Buffer.from(bed.envelope(await bed.declaration({ number: 2, content })));
    const at = bytes.indexOf('"payload":"') + 400;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    let fetched = 0;
    bed.raised.records.statBlob = async () => {
      fetched += 1;
      return null;
    };
    bed.raised.records.send("node-a", { epoch: 1, number: 2 }, bytes);
    bed.start();
    const report = await bed.report(({ refusals }) => refusals.length > 0, "refused");
    expect(["signature", "envelope", "key"]).toContain(report.refusals[0]?.check);
    expect(report.has).toBeNull();
    expect(fetched).toBe(0);
    // What every host has from its start, and nothing more.
    expect(await readdir(bed.root, { recursive: true })).toEqual(["modules", "modules/package.json"]);
    expect((await readdir(path.join(bed.dir, "state"))).toSorted()).toEqual([
      "boot.json",
      "host.lock",
      "refusals.json",
      "services",
    ]);
    // The right one is taken afterwards.
    await bed.send(3, [textFile("settings", "good")]);
    await bed.report(({ outcome, refusals }) => outcome === "applied" && refusals.length === 0, "applied", 20_000);
  });

  it("comes up from what it kept when the controller is away (R44)", async () => {
    bed = await raiseHostBed();
    await bed.send(1, [textFile("settings", "kept")]);
    bed.start();
    await bed.report(({ outcome }) => outcome === "applied", "applied");
    await bed.end("SIGTERM");
    await bed.raised.gateway.close();
    const file = path.join(bed.root, "etc/web/settings");
    await writeFile(file, "lost");
    bed.start();
    await eventually(async () => (await readText(file)) === "kept", "the file is back");
  });

  it("takes a newer declaration while a long apply runs", async () => {
    bed = await raiseHostBed();
    const packed = await packFiles({ "main.js": "" });
    bed.raised.records.openBlob = async () => new Promise(() => undefined);
    await bed.send(1, [putArtifact(bed, packed)]);
    bed.start();
    await bed.report((report) => report.has?.number === 1 && report.outcome === "half", "half");
    await bed.send(2, [textFile("settings", "two")]);
    await bed.report((report) => report.has?.number === 2 && report.outcome === "applied", "the newer one");
  });

  it("lets no second host run on its folder, and none that is not enrolled (R48)", async () => {
    bed = await raiseHostBed();
    bed.start();
    await bed.report(({ outcome }) => outcome === "none", "running");
    const second = await bed.run(["run", "--dir", bed.dir]);
    expect(second).toMatchObject({ code: 2, out: expect.stringContaining("a host already runs on") });
    const stranger = await bed.run(["run", "--dir", path.join(bed.dir, "elsewhere")]);
    expect(stranger).toMatchObject({ code: 2, out: expect.stringContaining("is not enrolled") });
    expect((await bed.run(["run"])).code).toBe(2);
    const shown = await bed.run(["enrol", "--dir", bed.dir, "--token", "mesh1.rubbish"]);
    expect(shown).toMatchObject({ code: 2, out: expect.stringContaining("would show the token to everybody") });
    expect(shown.out).not.toContain("rubbish");
    expect((await bed.run(["--help"])).code).toBe(0);
    expect(await bed.end("SIGTERM")).toBe(0);
  });

  it("starts without what it can read from the system, says what was damaged, and keeps it (R44)", async () => {
    bed = await raiseHostBed();
    const packed = await packFiles({ "main.js": "setInterval(() => {}, 1000)" });
    await bed.send(1, [putArtifact(bed, packed), service(packed.digest)]);
    bed.start();
    await bed.report(({ outcome }) => outcome === "applied", "applied");
    await bed.end("SIGKILL");
    const files = ["state/services/service.web.main.json", "state/refusals.json"];
    for (const file of files) await writeFile(path.join(bed.dir, file), '{"schema":1}');
    bed.start();
    const report = await bed.report(({ boot, outcome }) => boot === 2 && outcome === "applied", "applied again");
    const said = report.resources.find(({ id }) => id === "host/files");
    for (const file of files) {
      expect(said?.drift?.found).toContain(`${file} is damaged`);
      expect(await readText(path.join(bed.dir, `${file}.damaged-1`))).toBe('{"schema":1}');
    }
    expect(report.has).toEqual({ epoch: 1, number: 1 });
  });

  it("does not start on a damaged mark, and says which file it is", async () => {
    bed = await raiseHostBed();
    await bed.send(1, [textFile("settings", "x")]);
    bed.start();
    await bed.report(({ outcome }) => outcome === "applied", "applied");
    await bed.end("SIGTERM");
    await writeFile(path.join(bed.dir, "state/mark.json"), "\0\0\0\0");
    const { code, out } = await bed.run(["run", "--dir", bed.dir]);
    expect(code).toBe(2);
    expect(out).toContain("state/mark.json is damaged");
    expect(await readFile(path.join(bed.root, "etc/web/settings"), "utf8")).toBe("x");
  });
});
