import { readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Digest } from "../../../src/core/names.ts";
import { listGrants } from "../../../src/store/lease.ts";
import { openPush } from "../../../src/store/pushes.ts";
import { mutate } from "../../simulation/mutants/mutant.ts";
import { addNodes, declarationOf, grant, mesh, openRecords, type Records } from "../../store/open-records.ts";
import { eventually, raiseHostBed, textFile } from "../../support/host-bed.ts";
import { checkHistory } from "../checks/check-history.ts";
import type { History, Send } from "../history/history.ts";
import { parseJournal } from "../history/read-journal.ts";
import { readRecords } from "../history/read-records.ts";
import { bundlePlanted } from "./bundle-planted.ts";
import { findRealMutant, realMutants } from "./plant.ts";

/**
 * The two places where the order is kept, each as it is and with its test taken out of the real source: what happens on
 * a real PostgreSQL and in a real host process is recorded, and the checks of recorded histories must name the promise.
 */
const nothing: History = {
  grants: [],
  sends: [],
  told: [],
  pushes: [],
  baselines: [],
  journal: [],
  accounts: [],
  answers: [],
  leases: [],
  machines: [],
};

async function bundleThen<T>(
  name: string | null,
  entry: string,
  format: "esm" | "cjs",
  act: (file: string) => Promise<T>,
): Promise<T> {
  const file = await bundlePlanted(entry, name === null ? null : findRealMutant(name), format);
  try {
    return await act(file);
  } finally {
    await rm(dirname(file), { recursive: true });
  }
}

describe("a controller whose epoch is over, and which sends all the same (R36, case 36)", { timeout: 120_000 }, () => {
  let records: Records;

  beforeAll(async () => {
    records = await openRecords();
    await addNodes(records.db, "node-a");
    const push = { id: "p1", kind: "named" as const, named: ["node-a"], requestedBy: "test", why: "" };
    await openPush(records.db, mesh, push);
  });
  beforeEach(() => records.db.query("truncate declaration, told"));
  afterAll(() => records.close());

  async function sendLate(name: string | null): Promise<History> {
    return await bundleThen(name, "test/faults/planted/gate-road.ts", "esm", async (file) => {
      const road: typeof import("./gate-road.ts") = await import(pathToFileURL(file).href);
      const db = road.openDatabase({
        url: records.url,
        maxConnections: 2,
        applicationName: "late",
        statementTimeoutMs: 20_000,
      });
      const epoch = await grant(records.db, "controller-1");
      await grant(records.db, "controller-2");
      const late = road.withGate(db, { mesh, epoch, count: 1 }, async (tx, [number = 0]) => {
        const declaration = declarationOf("node-a", { epoch, number });
        const sent = { declaration, envelope: Buffer.from("late"), offers: [], push: "p1", round: 0, why: "late" };
        await road.insertDeclarations(tx, [sent]);
        const { digest } = declaration;
        await road.recordTold(tx, mesh, "p1", [
          { node: "node-a", round: 0, outcome: "sent", why: "late", epoch, number, digest },
        ]);
      });
      const outcome = await late.then(
        () => "taken",
        (error: Error) => error.name,
      );
      await db.end();
      expect(outcome).toBe(name === null ? "DeadEpochError" : "taken");
      expect((await listGrants(records.db, mesh))[0]?.epoch).toBe(epoch + 1);
      return { ...nothing, ...(await readRecords(records.url)), pushes: [] };
    });
  }

  it("is refused by the gate, and nothing is broken", async () => {
    expect(checkHistory(await sendLate(null))).toEqual([]);
  });

  it("is taken by a gate that asks for no epoch, and I5 is named", async () => {
    const { breaks } = findRealMutant("gate-without-epoch");
    const found = checkHistory(await sendLate("gate-without-epoch"));
    expect(breaks).toContain(found[0]?.invariant);
    expect(found[0]?.message).toContain("after");
  });
});

describe("an older declaration, truly signed, before a host process (R27, R38)", { timeout: 120_000 }, () => {
  async function offerOlder(name: string | null): Promise<History> {
    return await bundleThen(name, "src/host/main.ts", "cjs", async (program) => {
      const bed = await raiseHostBed({ program });
      try {
        const newer = await bed.send(5, [textFile("settings", "five")]);
        bed.start();
        await bed.report(({ outcome }) => outcome === "applied", "applied", 60_000);
        const content = { node: "node-a", builds: {}, resources: [textFile("settings", "four")] };
        const older = await bed.declaration({ number: 4, content });
        const bytes = bed.envelope(older);
        bed.raised.records.newestEnvelope = async () => bytes;
        bed.raised.records.send("node-a", { epoch: 9, number: 9 }, bytes);
        const journal = () => parseJournal("node-a", bed.log());
        await eventually(
          () => bed.log().includes("declaration refused") || journal().some(({ number }) => number === 4),
          "the host says what it does with it",
          60_000,
        );
        const sends = [older, newer].map(
          ({ node, epoch, number, digest, incarnation }): Send => ({
            ...{ node, epoch, number, incarnation, push: "p1", round: number, committedAt: number, freshMs: 1 },
            digest: digest as Digest,
          }),
        );
        const told = sends.map((one) => ({ ...one, outcome: "sent" }));
        const grants = [{ epoch: 1, holder: "test", committedAt: 0 }];
        return { ...nothing, grants, sends, told, journal: journal() };
      } finally {
        await bed.close();
      }
    });
  }

  it("is refused by the fence, and nothing is broken", async () => {
    const history = await offerOlder(null);
    expect(history.journal.length).toBeGreaterThan(1);
    expect(checkHistory(history)).toEqual([]);
  });

  it("is taken by a host without the fence, and I1 is named", async () => {
    const { breaks } = findRealMutant("host-without-fence");
    expect(breaks).toContain(checkHistory(await offerOlder("host-without-fence"))[0]?.invariant);
  });
});

it.each(realMutants)("$name: its text stands in $file exactly once", async (mutant) => {
  const source = await readFile(new URL(`../../../${mutant.file}`, import.meta.url), "utf8");
  expect(mutate(source, mutant)).not.toBe(source);
});
