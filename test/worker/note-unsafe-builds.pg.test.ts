import { expect, it } from "vitest";
import { listConditions } from "../../src/store/conditions.ts";
import { noteUnsafeBuilds } from "../../src/worker/note-unsafe-builds.ts";
import { mesh, openRecords } from "../store/open-records.ts";

it("says for as long as it is so that modules are built without a sandbox, or without limits by the kernel (R33)", async () => {
  const records = await openRecords();
  const { db } = records;
  try {
    const why = "modules of examples are built without a sandbox: bubblewrap does not run";
    const unlimited = null;
    await noteUnsafeBuilds(db, mesh, { unsafe: why, unlimited });
    await noteUnsafeBuilds(db, mesh, { unsafe: why, unlimited });
    expect(await listConditions(db, mesh)).toMatchObject([
      { code: "builds-without-sandbox", message: why, urgent: false, count: 2 },
    ]);
    await noteUnsafeBuilds(db, mesh, { unsafe: null, unlimited: "their memory is only watched" });
    expect(await listConditions(db, mesh)).toMatchObject([
      { code: "builds-without-limits", message: "their memory is only watched", urgent: false },
    ]);
    await noteUnsafeBuilds(db, mesh, { unsafe: null, unlimited });
    expect(await listConditions(db, mesh)).toEqual([]);
  } finally {
    await records.close();
  }
});
