import { once } from "node:events";
import { access, appendFile, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import type { Resource } from "../../src/core/resource.ts";
import { afterEach, describe, expect, it } from "vitest";
import {
  eventually,
  makeFolder,
  putArtifact,
  raiseHostBed,
  readText,
  resourceOf,
  service,
  textFile,
  type HostBed,
} from "../support/host-bed.ts";
import { ask, freePort, httpService } from "../support/http-service.ts";
import { packFiles } from "../support/pack-files.ts";

let bed: HostBed | null = null;

afterEach(async () => {
  await bed?.close();
  bed = null;
});

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
      ["one", "two", "three"].map((text) => packFiles({ "main.js": httpService(text) })),
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
    const packed = await packFiles({ "main.js": httpService("up") });
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
    const packed = await packFiles({ "main.js": httpService("up") });
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
    expect(resourceOf(ended, "service/web/main")?.drift).toEqual({
      wanted: "running",
      found: expect.stringMatching(
        /^ended with signal SIGKILL: no line says why \(log\/web\.log\), at 20.*Z; it (is|was) started again$/,
      ),
    });
    const { sequence } = ended;
    const mended = await bed.report((report) => report.sequence > sequence && report.outcome === "applied", "mended");
    expect(Number((await ask(port)).split(" ")[1])).not.toBe(pid);
    // Still said when it is back, and not for ever.
    const after = bed.reports.find((report) => report.sequence > sequence && report.outcome === "applied") ?? mended;
    expect(resourceOf(after, "service/web/main")?.drift).toBeDefined();
    await bed.report(
      (report) => report.sequence > after.sequence && resourceOf(report, "service/web/main")?.drift === undefined,
      "no drift",
    );
  });

  it("runs a module without package.json below one of type module, as the sandbox did (R11)", async () => {
    const above = await makeFolder();
    await writeFile(path.join(above, "package.json"), JSON.stringify({ type: "module" }));
    bed = await raiseHostBed({ dir: path.join(above, "node-a") });
    const packed = await packFiles({ "main.js": `require("node:fs"); setInterval(() => {}, 1000)` });
    await bed.send(1, [putArtifact(bed, packed), service(packed.digest)]);
    bed.start("--interval", "1");
    const report = await bed.report(({ outcome }) => outcome === "applied" || outcome === "failed", "an end");
    expect(report.outcome).toBe("applied");
    expect(await readText(path.join(bed.root, "modules/package.json"))).toBe("{}\n");
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
    });
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
    expect(resourceOf(report, "service/web/main")?.message).toBe(
      "exit code 0: no such table (log/web.log); it ends again and again",
    );
    expect(bed.reports.some(({ outcome }) => outcome === "applied")).toBe(false);
    // Each pass that fails is a report: the third makes it stuck (R32).
    await eventually(
      () => (bed?.reports.filter(({ outcome }) => outcome === "failed").length ?? 0) >= 3,
      "three reports",
    );
  });

  it("never calls a service applied for which another program answers (R43, case 33)", async () => {
    bed = await raiseHostBed();
    const other = createServer((_, answer) => answer.end("not the service")).listen(0, "127.0.0.1");
    try {
      await once(other, "listening");
      const address = other.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      const packed = await packFiles({ "main.js": `setTimeout(() => { throw new Error("port taken"); }, 200)` });
      const health = { http: `http://127.0.0.1:${port}/`, withinSeconds: 20 };
      await bed.send(1, [putArtifact(bed, packed), service(packed.digest, { health })]);
      bed.start("--interval", "1");
      const report = await bed.report(({ outcome }) => outcome === "failed", "failed", 20_000);
      expect(resourceOf(report, "service/web/main")?.message).toBe(
        "exit code 1: Error: port taken (log/web.log); it ends again and again",
      );
      expect(bed.reports.some(({ outcome }) => outcome === "applied")).toBe(false);
    } finally {
      other.close();
    }
  });

  it("does not follow a link that a service has planted (case 49)", async () => {
    bed = await raiseHostBed();
    await mkdir(path.join(bed.dir, "root/data/web"), { recursive: true });
    const outside = path.join(path.dirname(bed.dir), "outside");
    await mkdir(outside);
    await symlink(outside, path.join(bed.root, "data/web/sub"));
    await bed.send(1, [textFile("good", "x"), textFile("evil", "x", { path: "data/web/sub/evil" })]);
    bed.start();
    const report = await bed.report(({ outcome }) => outcome === "failed", "failed");
    expect(resourceOf(report, "file/web/evil")?.message).toContain("is a link or no folder");
    expect(resourceOf(report, "file/web/good")?.state).toBe("applied");
    expect(await readdir(outside)).toEqual([]);
  });
});
