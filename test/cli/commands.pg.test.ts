import { beforeEach, describe, expect, it } from "vitest";
import { digestValue } from "../../src/decide/digest.ts";
import { trackFailures } from "../../src/decide/track-failures.ts";
import { keepAccount } from "../../src/store/accounts.ts";
import type { Report } from "../../src/core/report.ts";
import { addModule } from "../../src/store/modules.ts";
import { addRepository } from "../../src/store/repositories.ts";
import { withGate } from "../../src/store/gate.ts";
import { readLease, takeLease } from "../../src/store/lease.ts";
import { addNodes, declarationOf, grant, mesh, reportOf, send, sendOne } from "../store/open-records.ts";
import { type CommandBed, openCommandBed } from "./command-bed.ts";
import { runMesh } from "./fake-context.ts";

let bed: CommandBed;

beforeEach(async () => {
  bed = await openCommandBed();
  return () => bed.close();
});

describe("an empty mesh", () => {
  it.each([
    ["status", "mesh node add"],
    ["node list", "mesh node add"],
    ["host list", "mesh node add"],
    ["module list", "mesh module add"],
    ["repo list", "mesh repo add"],
  ])("%s says how to begin", async (words, next) => {
    const ran = await bed.run(...words.split(" "));
    expect(ran.stdout).toMatch(words === "status" ? /no nodes and no modules yet/ : new RegExp(next));
    expect(ran.code).toBe(0);
  });

  it("says how to begin in the mesh that was typed (R48)", async () => {
    const ran = await runMesh(["node", "list", "--state", bed.state], { openMesh: bed.connect });
    expect(ran.stdout).toBe(
      `no nodes yet\n  next: mesh node add NAME --address ADDRESS\n  with --state ${bed.state}, as typed\n`,
    );
  });

  it("every command that reads prints one versioned document under --json", async () => {
    expect(await bed.documentOf("status")).toMatchObject({
      schema: "mesh.status.v1",
      nodes: [],
      modules: [],
      owed: [],
    });
    expect(await bed.documentOf("node", "list")).toEqual({ schema: "mesh.node-list.v1", nodes: [] });
    expect(await bed.documentOf("host", "list")).toEqual({ schema: "mesh.host-list.v1", hosts: [] });
    expect(await bed.documentOf("module", "list")).toEqual({ schema: "mesh.module-list.v1", modules: [] });
    expect(await bed.documentOf("repo", "list")).toEqual({ schema: "mesh.repo-list.v1", repositories: [] });
  });
});

describe("without a controller (R48)", () => {
  it.each([
    ["push --no-wait", ["push", "node-a", "--no-wait"], "leave --no-wait out, and this shell delivers it"],
    ["build", ["build"], "start it: npm start"],
    ["build --again", ["build", "--again"], "start it: npm start"],
  ])("%s ends with 3 at once and says what to do", async (_what, argv, next) => {
    await addNodes(bed.records.db, "node-a");
    const ran = await bed.run(...argv);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain("no controller has ever run");
    expect(ran.stderr).toContain(`  next: ${next}`);
  });

  it.each([
    ["push", ["push", "node-a"]],
    ["push --behind", ["push", "--behind"]],
    ["declare", ["declare", "node-a"]],
  ])("%s needs Temporal all the same, to deliver by itself: 3 (R40)", async (_what, argv) => {
    await addNodes(bed.records.db, "node-a");
    const ran = await bed.run(...argv);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain("Temporal at 127.0.0.1:1 does not answer");
  });

  it("a lease that was not renewed for its age is no controller", async () => {
    await grant(bed.records.db);
    await bed.records.db.query("update lease set renewed_at = now() - interval '40 seconds'");
    expect((await bed.run("build")).stderr).toMatch(/has not renewed its lease for 4\d s/);
  });

  it("a shell that ends its push is no controller either (R40)", async () => {
    await takeLease(bed.records.db, { mesh, holder: "host/9", ageMs: 15_000, seen: null, role: "shell" });
    expect((await bed.run("build")).stderr).toContain("no controller runs: the shell host/9 only ends its own push");
    expect((await bed.run("status")).stdout).toContain("no controller runs: the shell host/9 ends its push");
  });

  it("a controller that runs, and Temporal that does not answer: 3", async () => {
    await addNodes(bed.records.db, "node-a");
    await grant(bed.records.db);
    const ran = await bed.run("push", "node-a");
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain("Temporal at 127.0.0.1:1 does not answer");
  });

  it("status and plan still answer from the records", async () => {
    await addNodes(bed.records.db, "node-a");
    const status = await bed.run("status");
    expect([status.code, status.stdout]).toEqual([3, expect.stringContaining("no controller acts, so nobody looks")]);
    expect((await bed.run("plan", "node-a")).code).not.toBe(3);
  });
});

describe("status and its codes", () => {
  it("a node that was never told is pending, and --wait says so when its time is over", async () => {
    await addNodes(bed.records.db, "node-a");
    await grant(bed.records.db);
    const ran = await bed.run("status", "--wait", "--timeout", "1");
    expect(ran.stdout).toMatch(/node-a +never told/);
    expect(ran.code).toBe(1);
  });

  it("a node that is registered and not enrolled is pending, and what to do next is said (R31, R48)", async () => {
    await addNodes(bed.records.db, "node-a");
    await grant(bed.records.db);
    const ran = await bed.run("status");
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain("no host of node-a has enrolled yet: `mesh host token node-a` here");
    expect(ran.stdout).toContain("  next: mesh host token node-a   then   mesh host enrol on that machine");
  });

  it("a told node whose host was never heard is not settled (R48)", async () => {
    await addNodes(bed.records.db, "node-a");
    await sendOne(bed.records.db, await grant(bed.records.db), "node-a");
    expect((await bed.run("status")).code).not.toBe(0);
  });

  it("without a controller a host is not called silent: nobody hears it, since when is said (R31)", async () => {
    await addNodes(bed.records.db, "node-a");
    await bed.records.db.query("update node set incarnation = 'aaaa' where name = 'node-a'");
    const epoch = await grant(bed.records.db);
    await sendOne(bed.records.db, epoch, "node-a");
    const set = (heard: string, renewed: string) =>
      bed.records.db.query(
        `with n as (update node set last_contact_at = now() - $1::interval)
         update lease set renewed_at = now() - $2::interval`,
        [heard, renewed],
      );
    const stands = async (): Promise<string> => /node-a +(.*)/.exec((await bed.run("status")).stdout)?.[1] ?? "";
    await set("10 minutes", "0 seconds");
    expect(await stands()).toMatch(/^silent, /);
    await set("10 minutes", "10 minutes");
    expect(await stands()).toMatch(/^cannot tell, .*no controller has run since .*, so nobody hears its host/);
    await set("10 minutes", "5 minutes");
    expect(await stands()).toMatch(/^silent, .*no controller has run since/);
    // A shell that pushes hears no hosts, and the last controller's end stays what it was.
    await set("10 minutes", "10 minutes");
    const seen = await readLease(bed.records.db, mesh);
    await takeLease(bed.records.db, { mesh, holder: "host/9", ageMs: 15_000, seen, role: "shell" });
    expect(await stands()).toMatch(/^cannot tell, .*no controller has run since/);
  });

  it("a told node without modules is current when it reported so: there is no source to look at", async () => {
    await addNodes(bed.records.db, "node-a");
    await bed.records.db.query("update node set incarnation = 'aaaa', last_contact_at = now() where name = 'node-a'");
    const epoch = await grant(bed.records.db);
    const digest = digestValue({ node: "node-a", builds: {}, resources: [] });
    const has = { epoch, number: 1 };
    await withGate(bed.records.db, { mesh, epoch, count: 1 }, (tx) =>
      send(tx, { ...declarationOf("node-a", has), digest }),
    );
    const report = { ...reportOf("node-a", { has, digest }), outcome: "applied" } as const;
    await keepAccount(bed.records.db, mesh, report, ({ receivedAt }) => ({
      kind: "kept",
      track: trackFailures(null, report, receivedAt),
    }));
    const ran = await bed.run("status");
    expect(ran.stdout).toMatch(/node-a +current/);
    expect(ran.code).toBe(0);
  });

  it("two modules of one node that stand otherwise are kept apart, in their lines too (R31)", async () => {
    await addNodes(bed.records.db, "node-a");
    await bed.records.db.query("update node set incarnation = 'aaaa', last_contact_at = now() where name = 'node-a'");
    await addRepository(bed.records.db, mesh, { name: "shop", url: "https://127.0.0.1:1/shop.git" });
    for (const name of ["crash", "sick"])
      await addModule(bed.records.db, mesh, { name, repository: "shop", branch: "main", path: name });
    const epoch = await grant(bed.records.db);
    const builds = { crash: digestValue("crash"), sick: digestValue("sick") };
    const has = { epoch, number: 1 };
    const told = declarationOf("node-a", has, { builds });
    await withGate(bed.records.db, { mesh, epoch, count: 1 }, (tx) => send(tx, told));
    const resources = [
      { id: "service/crash/main", kind: "service", state: "failed", message: "it ends" },
      { id: "service/sick/main", kind: "service", state: "un-ready", message: "it answers 503" },
    ] as const;
    const report: Report = {
      ...reportOf("node-a", { has, digest: told.digest }),
      outcome: "failed",
      resources: [...resources],
    };
    await keepAccount(bed.records.db, mesh, report, ({ receivedAt }) => ({
      kind: "kept",
      track: trackFailures(null, report, receivedAt),
    }));
    expect((await bed.run("status", "node-a")).stdout).toMatch(/node-a +failed, un-ready/);
    expect((await bed.run("status", "crash")).stdout).toMatch(/node-a +failed +not read back/);
    expect((await bed.run("status", "sick")).stdout).toMatch(/node-a +un-ready +not read back/);
  });

  it("--watch --json prints a document for each change, and ends when asked", async () => {
    await addNodes(bed.records.db, "node-a");
    const end = new AbortController();
    let seen = "";
    const watching = runMesh(["status", "--watch", "--json"], {
      env: { MESH_STATE: bed.state },
      openMesh: bed.connect,
      interrupt: end.signal,
      onOutput: (stdout) => {
        seen = stdout;
        if (stdout.includes("node-b")) end.abort();
      },
    });
    await expect.poll(() => seen, { timeout: 10_000 }).toContain("node-a");
    await addNodes(bed.records.db, "node-b");
    const lines = (await watching).stdout.trim().split("\n");
    const last = JSON.parse(lines.at(-1) ?? "") as { schema: string; nodes: unknown[] };
    expect(last.schema).toBe("mesh.status.v1");
    expect(last.nodes).toHaveLength(2);
  });

  it("--watch --json says that the records do not answer, and the same status again when they do (R26)", async () => {
    await addNodes(bed.records.db, "node-a");
    const up = await bed.connect();
    const gone = bed.records.open({ url: "postgresql://mesh@127.0.0.1:1/none" });
    const lines: Record<string, unknown>[] = [];
    const end = new AbortController();
    const answering = { db: up.db };
    const ran = await runMesh(["status", "--watch", "--json"], {
      env: { MESH_STATE: bed.state },
      openMesh: () => Promise.resolve(Object.defineProperty({ ...up }, "db", { get: () => answering.db })),
      interrupt: end.signal,
      onOutput: (stdout) => {
        lines.splice(
          0,
          Infinity,
          ...stdout
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line) as never),
        );
        answering.db = lines.length === 1 ? gone : up.db;
        if (lines.length === 3) end.abort();
      },
    });
    const [, error, again] = lines;
    expect(error).toEqual({
      schema: "mesh.status.v1",
      error: {
        kind: "unavailable",
        message: expect.stringContaining("its PostgreSQL does not answer") as string,
        next: expect.stringContaining("npm start") as string,
      },
    });
    expect(again).toMatchObject({ schema: "mesh.status.v1", nodes: [{ node: "node-a", word: "never-told" }] });
    expect(ran.stderr).toContain("asking again");
  });

  it("a store that went away is said, and never an empty mesh (R26)", async () => {
    const gone = { ...(await bed.connect()), db: bed.records.open({ url: "postgresql://mesh@127.0.0.1:1/none" }) };
    const ran = await runMesh(["status"], { env: { MESH_STATE: bed.state }, openMesh: () => Promise.resolve(gone) });
    expect(ran).toMatchObject({ code: 3, stdout: "" });
  });
});
