import { beforeEach, describe, expect, it } from "vitest";
import { collectArtifacts } from "../../src/activities/collect-artifacts.ts";
import { meshPaths } from "../../src/cli/mesh-setup.ts";
import { withGate } from "../../src/store/gate.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import { type ArtifactBed, openArtifactBed } from "../cli/artifact-bed.ts";
import { addNodes, declarationOf, grant, latch, mesh, send, sendOne, untilWaiting } from "../store/open-records.ts";

let bed: ArtifactBed;
beforeEach(async () => {
  bed = await openArtifactBed();
  return () => bed.close();
});

/** Everything that is recorded now was built long ago. */
const age = () => bed.records.db.query(`update artifact set packed_at = now() - interval '10 days'`);
const collect = () =>
  collectArtifacts({
    db: bed.records.db,
    mesh,
    dir: meshPaths(bed.state).artifacts,
    graceMs: 3_600_000,
    now: () => new Date(),
  });

describe("a collection beside pushes", () => {
  it("holds none of them up while it reads what was ever built (R45)", async () => {
    const { db } = bed.records;
    const old = await bed.build("core", { "a.txt": "one" });
    await bed.build("core", { "a.txt": "two" });
    await addNodes(db, "node-a");
    const epoch = await grant(db);
    await age();
    const locked = latch();
    const sent = latch();
    const holding = inTransaction(db, { isolation: "read committed" }, async (tx) => {
      await tx.query(`lock table build in access exclusive mode`);
      locked.open();
      await sent.opened;
    });
    await locked.opened;
    const collecting = collect();
    await untilWaiting(db);
    expect(await sendOne(db, epoch, "node-a", { builds: {} })).toMatchObject({ epoch });
    sent.open();
    await holding;
    expect((await collecting).marked).toEqual([{ module: "core", digest: old.artifact.digest }]);
  });

  it("leaves what one of them sends after it planned, with all that was built into it (R45)", async () => {
    const { db } = bed.records;
    const input = await bed.build("core", { "a.txt": "one" });
    const page = await bed.build("page", { "a.txt": "one" }, { against: { core: input.artifact.digest } });
    const unneeded = await bed.build("core", { "a.txt": "two" });
    await bed.build("core", { "a.txt": "three" });
    await bed.build("page", { "a.txt": "two" });
    await addNodes(db, "node-a");
    const epoch = await grant(db);
    await age();
    const passed = latch();
    const planned = latch();
    const pushing = withGate(db, { mesh, epoch, count: 1 }, async (tx, [number = 0]) => {
      passed.open();
      await planned.opened;
      await send(tx, declarationOf("node-a", { epoch, number }, { builds: { page: page.artifact.digest } }));
    });
    await passed.opened;
    const collecting = collect();
    await untilWaiting(db);
    planned.open();
    await pushing;
    expect((await collecting).marked).toEqual([{ module: "core", digest: unneeded.artifact.digest }]);
  });

  it("leaves what a build took up and was built against after it planned (R45)", async () => {
    const { db } = bed.records;
    const input = await bed.build("core", { "a.txt": "one" });
    const unneeded = await bed.build("core", { "a.txt": "two" });
    await bed.build("core", { "a.txt": "three" });
    const epoch = await grant(db);
    await age();
    const passed = latch();
    const planned = latch();
    const pushing = withGate(db, { mesh, epoch, count: 1 }, async () => {
      passed.open();
      await planned.opened;
    });
    await passed.opened;
    const collecting = collect();
    await untilWaiting(db);
    await bed.build("page", { "a.txt": "one" }, { against: { core: input.artifact.digest } });
    // It is not what its source gives any more.
    await bed.records.db.query(`update module set fit_artifact = null, fit_inputs = null where name = 'page'`);
    planned.open();
    await pushing;
    expect((await collecting).marked).toEqual([{ module: "core", digest: unneeded.artifact.digest }]);
  });
});
