import { access, appendFile, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import type { Resource } from "../../src/core/resource.ts";
import { afterEach, describe, expect, it } from "vitest";
import {
  eventually,
  putArtifact,
  raiseHostBed,
  readText,
  resourceOf,
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

/** Answers `text` on the port in PORT, and says its pid. */
const server = (text: string): string => `
  const http = require("node:http");
  http.createServer((_, answer) => answer.end(${JSON.stringify(text)} + " " + process.pid)).listen(Number(process.env.PORT), "127.0.0.1");
`;

async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

async function ask(port: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/`)).text();
}

describe("a host process", { timeout: 60_000 }, () => {
  it("applies what it is sent, reads it back and says so (R43)", async () => {
    bed = await raiseHostBed();
    bed.start();
    await bed.report(({ outcome }) => outcome === "none", "a first report");
    await bed.send(1, [textFile("settings", "one")]);
    const report = await bed.report(({ outcome }) => outcome === "applied", "applied");
    expect(report.has).toEqual({ epoch: 1, number: 1 });
    expect(await readText(path.join(bed.root, "etc/web/settings"))).toBe("one");
    expect(resourceOf(report, "file/web/settings")?.message).toContain("mode 644");
  });

  it("runs a service from an artifact, restarts it for a new one and keeps the one before (R45)", async () => {
    bed = await raiseHostBed();
    const port = await freePort();
    const health = { http: `http://127.0.0.1:${port}/`, withinSeconds: 20 };
    const [one, two, three] = await Promise.all(
      ["one", "two", "three"].map((text) => packFiles({ "main.js": server(text) })),
    );
    if (one === undefined || two === undefined || three === undefined) throw new Error("not packed");
    bed.start();
    for (const [at, packed] of [one, two, three].entries()) {
      await bed.send(at + 1, [
        putArtifact(bed, packed),
        service(packed.digest, { env: { PORT: String(port) }, health }),
      ]);
      await bed.report((report) => report.has?.number === at + 1 && report.outcome === "applied", `number ${at + 1}`);
    }
    expect(await ask(port)).toMatch(/^three /);
    // The first is collected, the second stays for going back.
    const kept = [two, three].map(({ digest }) => digest.slice(7, 19));
    const names = async (): Promise<string> =>
      (await readdir(path.join(bed?.root ?? "", "modules/web"))).toSorted().join(" ");
    const expected = [...kept, "current", "previous"].toSorted().join(" ");
    await eventually(async () => (await names()) === expected, "collected");
  });

  it("leaves services running when it is killed, and adopts them (R44, R50)", async () => {
    bed = await raiseHostBed();
    const port = await freePort();
    const packed = await packFiles({ "main.js": server("up") });
    const health = { http: `http://127.0.0.1:${port}/`, withinSeconds: 20 };
    await bed.send(1, [putArtifact(bed, packed), service(packed.digest, { env: { PORT: String(port) }, health })]);
    bed.start();
    await bed.report(({ outcome }) => outcome === "applied", "applied");
    const before = await ask(port);
    await bed.end("SIGKILL");
    expect(await ask(port)).toBe(before);
    const { length } = bed.reports;
    bed.start();
    await bed.report((report) => report.boot === 2 && report.outcome === "applied", "applied again");
    expect(await ask(port)).toBe(before);
    // It was all done before the kill: never *half* again, and the new start comes after the old one.
    expect(bed.reports.slice(length).every(({ outcome, boot }) => outcome === "applied" && boot === 2)).toBe(true);
  });

  it("says both values of a drift and mends it: an edited file, a killed service (R44, case 48)", async () => {
    bed = await raiseHostBed();
    const port = await freePort();
    const packed = await packFiles({ "main.js": server("up") });
    const health = { http: `http://127.0.0.1:${port}/`, withinSeconds: 20 };
    const resources = [
      textFile("settings", "right"),
      putArtifact(bed, packed),
      service(packed.digest, { env: { PORT: String(port) }, health }),
    ];
    await bed.send(1, resources);
    bed.start("--interval", "1");
    await bed.report(({ outcome }) => outcome === "applied", "applied");
    const file = path.join(bed.root, "etc/web/settings");
    await appendFile(file, " and more");
    const edited = await bed.report((report) => resourceOf(report, "file/web/settings")?.drift !== undefined, "drift");
    const drift = resourceOf(edited, "file/web/settings")?.drift;
    expect(drift?.wanted).toMatch(/^text [0-9a-f]{12}, mode 644/);
    expect(drift?.found).toMatch(/^other content [0-9a-f]{12}, mode 644/);
    expect(await readText(file)).toBe("right");
    const pid = Number((await ask(port)).split(" ")[1]);
    process.kill(pid, "SIGKILL");
    const ended = await bed.report((report) => resourceOf(report, "service/web/main")?.drift !== undefined, "drift");
    expect(resourceOf(ended, "service/web/main")?.drift).toEqual({ wanted: "running", found: "signal SIGKILL" });
    await bed.report((report) => report.sequence > ended.sequence && report.outcome === "applied", "mended");
    expect(Number((await ask(port)).split(" ")[1])).not.toBe(pid);
  });

  it("completes what a kill has cut, and says half until then (R44, case 46)", async () => {
    bed = await raiseHostBed();
    const packed = await packFiles({ "main.js": "setInterval(() => {}, 1000)" });
    const artifact = putArtifact(bed, packed);
    const file = textFile("settings", "after the artifact", { after: ["artifact/web/files"] });
    // The blob hangs: the host is killed between two resources, wherever it is then.
    const { openBlob } = bed.raised.records;
    let asked = 0;
    bed.raised.records.openBlob = async () => {
      asked += 1;
      return new Promise(() => undefined);
    };
    await bed.send(1, [textFile("first", "before"), artifact, file, service(packed.digest)]);
    bed.start();
    await eventually(() => asked > 0, "the download has begun");
    await bed.end("SIGKILL");
    expect(bed.reports.some(({ outcome }) => outcome === "applied")).toBe(false);
    bed.raised.records.openBlob = openBlob;
    bed.start();
    const first = await bed.report((report) => report.boot === 2, "a report of the second start");
    const done = await bed.report((report) => report.outcome === "applied", "applied");
    expect(bed.reports.find((report) => report.boot === 2)?.outcome).toBe("half");
    expect(done.sequence).toBeGreaterThan(first.sequence);
    expect(await readText(path.join(bed.root, "etc/web/settings"))).toBe("after the artifact");
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
    expect(await readdir(bed.root)).toEqual([]);
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

  it("removes what is not wanted any more, and keeps data (R20)", async () => {
    bed = await raiseHostBed();
    const packed = await packFiles({ "main.js": "setInterval(() => {}, 1000)" });
    const data: Resource = {
      id: "directory/web/data",
      module: "web",
      after: [],
      kind: "directory",
      path: "data/web",
      mode: "750",
      owner: "service",
    };
    await bed.send(1, [data, textFile("settings", "x"), putArtifact(bed, packed), service(packed.digest)]);
    bed.start();
    await bed.report(({ outcome }) => outcome === "applied", "applied");
    await writeFile(path.join(bed.root, "data/web/rows"), "precious");
    const run = JSON.parse(await readText(path.join(bed.dir, "state/services/service.web.main.json")));
    await bed.send(2, []);
    await bed.report((report) => report.has?.number === 2 && report.outcome === "applied", "empty");
    expect(await readText(path.join(bed.root, "data/web/rows"))).toBe("precious");
    await expect(access(path.join(bed.root, "etc/web"))).rejects.toThrow("ENOENT");
    expect(() => process.kill(run.identity.pid, 0)).toThrow("ESRCH");
    expect(await readdir(path.join(bed.root, "modules/web"))).toEqual([]);
    expect(await readdir(path.join(bed.dir, "state/services"))).toEqual([]);
  });

  it("gives a service its credentials in a file, and shows them nowhere else (R46)", async () => {
    bed = await raiseHostBed();
    const password = "canary-7d2f9a-secret";
    const provision = "node-a.web.database@node-b.postgres.0123";
    const packed = await packFiles({
      "main.js": `console.log(require("node:fs").readFileSync(process.env.MESH_PROVISIONS, "utf8").replaceAll("\\n", "")); process.exit(1)`,
    });
    const reference = {
      requirement: "database",
      provision,
      version: 2,
      kind: "postgresql",
      host: "db.example",
      port: 5432,
      name: "web_1",
    } as const;
    const file = textFile("provisions", "", {
      id: "file/web/provisions",
      path: "etc/web/provisions.json",
      mode: "600",
      content: { from: "provisions", references: [reference] },
    } as object);
    const after = ["artifact/web/files", "file/web/provisions"];
    const health = { tcp: "127.0.0.1:1", withinSeconds: 1 };
    await bed.send(
      1,
      [
        putArtifact(bed, packed),
        file,
        service(packed.digest, { provisions: "etc/web/provisions.json", after, health }),
      ],
      [{ node: "node-a", provision, version: 2, user: "web_1", password }],
    );
    bed.start();
    const report = await bed.report(({ outcome }) => outcome === "failed", "the service ends", 20_000);
    const written = JSON.parse(await readText(path.join(bed.root, "etc/web/provisions.json")));
    expect(written.database.url).toBe(`postgresql://web_1:${password}@db.example:5432/web_1`);
    // The service wrote it into its own log: the last line goes into the report without it.
    expect(await readText(path.join(bed.dir, "log/web.log"))).toContain(password);
    expect(resourceOf(report, "service/web/main")?.message).toContain("[REDACTED]");
    expect(JSON.stringify(bed.reports) + bed.log()).not.toContain(password);
    for (const name of await readdir(path.join(bed.dir, "state"))) {
      if (name.includes(".")) expect(await readText(path.join(bed.dir, "state", name))).not.toContain(password);
    }
  });

  it("starts a service only when its presence is there, and past the bound says what it waits for (R2)", async () => {
    bed = await raiseHostBed();
    const packed = await packFiles({ "main.js": "setInterval(() => {}, 1000)" });
    const absent = { tcp: "127.0.0.1:1", withinSeconds: 600 };
    const broker = service(packed.digest, { id: "service/web/broker", health: absent });
    const waiting = service(packed.digest, { presence: [{ service: "service/web/broker", withinSeconds: 2 }] });
    await bed.send(1, [putArtifact(bed, packed), broker, waiting]);
    bed.start("--interval", "1");
    const first = await bed.report((report) => resourceOf(report, "service/web/main")?.state === "waiting", "waiting");
    expect(resourceOf(first, "service/web/main")?.message).toContain("waits for service/web/broker");
    const past = await bed.report((report) => resourceOf(report, "service/web/main")?.state === "un-ready", "un-ready");
    expect(resourceOf(past, "service/web/main")?.message).toContain("has waited 2 s for service/web/broker");
    expect(await readdir(path.join(bed.dir, "state/services"))).toEqual(["service.web.broker.json"]);
  });

  it("never calls a service applied that ends (R43, case 33), and says why it ended", async () => {
    bed = await raiseHostBed();
    const packed = await packFiles({ "main.js": `console.error("no such table"); process.exit(0)` });
    await bed.send(1, [putArtifact(bed, packed), service(packed.digest)]);
    bed.start("--interval", "1");
    const report = await bed.report(({ outcome }) => outcome === "failed", "failed", 20_000);
    expect(resourceOf(report, "service/web/main")?.message).toBe("exit code 0: no such table; it ends again and again");
    expect(bed.reports.some(({ outcome }) => outcome === "applied")).toBe(false);
    // Each pass that fails is a report: the third makes it stuck (R32).
    await eventually(
      () => (bed?.reports.filter(({ outcome }) => outcome === "failed").length ?? 0) >= 3,
      "three reports",
    );
  });

  it("does not follow a link that a service has planted (case 49)", async () => {
    bed = await raiseHostBed();
    await mkdir(path.join(bed.dir, "root/data/web"), { recursive: true });
    const outside = path.join(path.dirname(bed.dir), "outside");
    await mkdir(outside);
    await symlink(outside, path.join(bed.root, "data/web/sub"));
    await bed.send(1, [textFile("good", "x"), textFile("evil", "x", { path: "data/web/sub/evil" } as object)]);
    bed.start();
    const report = await bed.report(({ outcome }) => outcome === "failed", "failed");
    expect(resourceOf(report, "file/web/evil")?.message).toContain("is a link or no folder");
    expect(resourceOf(report, "file/web/good")?.state).toBe("applied");
    expect(await readdir(outside)).toEqual([]);
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
    expect((await bed.run(["enrol", "--dir", bed.dir, "--token", "mesh1.rubbish"])).code).toBe(2);
    expect((await bed.run(["--help"])).code).toBe(0);
    expect(await bed.end("SIGTERM")).toBe(0);
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
