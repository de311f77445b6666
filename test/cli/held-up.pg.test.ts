import { expect, it } from "vitest";
import { putArtifact } from "../../src/store/artifacts.ts";
import { listModules } from "../../src/store/modules.ts";
import { addNodes, artifactOf, grant, manifestOf, mesh } from "../store/open-records.ts";
import { openComparedBed } from "./compared-bed.ts";

it("why says of a module that nothing new of it reaches a node, and because of which other one", async () => {
  const bed = await openComparedBed();
  try {
    const { db } = bed.records;
    // Without one nobody can tell how anything stands.
    await grant(db);
    await addNodes(db, "node-a");
    await db.query("update node set incarnation = 'host-1' where name = 'node-a'");
    // Recorded before such a word was refused where it is read.
    const recorded = manifestOf("core", { service: { command: ["a"], env: { PORT: "${confg.port}" } } });
    for (const { name, fitArtifact } of await listModules(db, mesh)) {
      const artifact = { ...artifactOf(name, name), digest: fitArtifact ?? "" };
      await putArtifact(db, mesh, artifact, name === "core" ? recorded : manifestOf(name));
    }
    for (const module of ["core", "other"]) await bed.run("assign", "node-a", module);

    const why = "core: ${confg.port} in its environment means nothing here";
    const status = await bed.run("status", "node-a");
    expect(status.stdout).toContain(why);
    expect(status.stdout).toContain("until then nothing new of other reaches it either");
    const said = await bed.run("why", "other");
    expect(said.code).toBe(0);
    expect(said.stdout).toContain(`nothing new of other reaches node-a, which is not worked out: ${why}`);
    expect(await bed.documentOf("why", "other")).toMatchObject({
      module: { heldUp: [{ node: "node-a", why: expect.stringContaining(why) }] },
    });
    expect(await bed.documentOf("why", "core")).toMatchObject({ module: { heldUp: [] } });
    expect((await bed.run("why", "mid")).stdout).not.toContain("nothing new of");
  } finally {
    await bed.close();
  }
}, 90_000);
