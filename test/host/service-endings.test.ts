import { once } from "node:events";
import { createServer, type Server } from "node:http";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Report, ResourceReport } from "../../src/core/report.ts";
import type { Resource } from "../../src/core/resource.ts";
import { putArtifact, raiseHostBed, resourceOf, service, type HostBed } from "../support/host-bed.ts";
import { ask, freePort, httpService } from "../support/http-service.ts";
import { packFiles } from "../support/pack-files.ts";

let bed: HostBed | null = null;
let stranger: Server | null = null;

afterEach(async () => {
  await bed?.close();
  bed = null;
  stranger?.close();
  stranger = null;
});

/** Another program of the machine, where the service is to answer. */
async function raiseStranger(status: number): Promise<number> {
  stranger = createServer((_, answer) => answer.writeHead(status).end()).listen(0, "127.0.0.1");
  await once(stranger, "listening");
  const address = stranger.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function sendService(raised: HostBed, script: string, port: number, changes: object = {}): Promise<void> {
  const packed = await packFiles({ "main.js": script });
  const health = { http: `http://127.0.0.1:${port}/`, withinSeconds: 60 };
  const main: Resource = service(packed.digest, { env: { PORT: String(port) }, health, ...changes });
  await raised.send(1, [putArtifact(raised, packed), main]);
}

function mainOf(report: Report): ResourceReport {
  const main = resourceOf(report, "service/web/main");
  return main ?? { id: "service/web/main", state: "waiting", message: "" };
}

describe("a service that ends", { timeout: 60_000 }, () => {
  it("is never applied while another program answers 200 on its port, and is once it has the port (R43, case 33)", async () => {
    bed = await raiseHostBed();
    const port = await raiseStranger(200);
    await sendService(bed, httpService("itself"), port);
    bed.start("--interval", "1");
    const failed = await bed.report(({ outcome }) => outcome === "failed", "failed", 20_000);
    expect(mainOf(failed).message).toMatch(
      /^exit code 1: Error: listen EADDRINUSE: .* \(log\/web\.log\); it ends again and again$/,
    );
    expect(bed.reports.some((report) => mainOf(report).state === "applied")).toBe(false);
    stranger?.close();
    stranger?.closeAllConnections();
    const applied = await bed.report((report) => mainOf(report).state === "applied", "applied", 40_000);
    expect(mainOf(applied).message).toBe(`running and healthy: http://127.0.0.1:${port}/ answers 200`);
    expect(await ask(port)).toMatch(/^itself /);
  });

  it("is not applied again by what answers on its port, however long each start takes to end (R43)", async () => {
    bed = await raiseHostBed();
    const port = await raiseStranger(200);
    await sendService(bed, `setTimeout(() => { throw new Error("port taken"); }, 3600)`, port);
    bed.start("--interval", "1");
    const said = /^exit code 1: Error: port taken /;
    const failed = await bed.report(({ outcome }) => outcome === "failed", "failed", 40_000);
    expect(mainOf(failed).message).toMatch(said);
    const firstEnding = bed.reports.findIndex((report) => said.test(mainOf(report).message));
    expect(bed.reports.slice(firstEnding).filter((report) => mainOf(report).state === "applied")).toEqual([]);
  });

  it("says so at once while its providers may still make what it requires, not what another answers (R43)", async () => {
    bed = await raiseHostBed();
    const port = await raiseStranger(503);
    const provisions = path.join("etc", "web", "provisions.json");
    await sendService(bed, `setTimeout(() => { throw new Error("port taken"); }, 600)`, port, { provisions });
    // No interval comes that would say it anyway.
    bed.start("--interval", "600");
    const told = await bed.report((report) => mainOf(report).message.startsWith("exit code"), "its ending", 30_000);
    expect(mainOf(told)).toMatchObject({
      state: "waiting",
      message: expect.stringMatching(
        /^exit code 1: Error: port taken \(log\/web\.log\); it (is started|has ended|ends) /,
      ),
    });
    const again = await bed.report((report) => mainOf(report).message.endsWith("it ends again and again"), "how often");
    expect(mainOf(again).state).toBe("waiting");
    const since = bed.reports.filter(({ sequence }) => sequence >= told.sequence);
    expect(since.filter((report) => mainOf(report).message.includes("answers 503"))).toEqual([]);
  });

  it("is applied again when it was killed once and is well (R44)", async () => {
    bed = await raiseHostBed();
    const port = await freePort();
    await sendService(bed, httpService("up"), port);
    bed.start("--interval", "1");
    const first = await bed.report(({ outcome }) => outcome === "applied", "applied");
    expect(mainOf(first).message).toBe(`running and healthy: http://127.0.0.1:${port}/ answers 200`);
    const { sequence } = first;
    process.kill(Number((await ask(port)).split(" ")[1]), "SIGKILL");
    const ended = await bed.report(
      (report) => report.sequence > sequence && mainOf(report).state === "waiting",
      "ended",
    );
    expect(mainOf(ended).message).toMatch(/^signal SIGKILL: .*; it is started again$/);
    const again = await bed.report(
      (report) => report.sequence > ended.sequence && report.outcome === "applied",
      "well again",
      30_000,
    );
    expect(mainOf(again).message).toBe(`running and healthy: http://127.0.0.1:${port}/ answers 200`);
  });
});
