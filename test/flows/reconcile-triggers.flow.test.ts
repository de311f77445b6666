import { rename } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listBuilds } from "../../src/store/builds.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { addModule } from "../../src/store/modules.ts";
import { addRepository } from "../../src/store/repositories.ts";
import { listHeads } from "../../src/store/source-heads.ts";
import { createGitRepository } from "../support/git-repository.ts";
import { filesModule, isFitAt, listStandings, readModule } from "./support/module-files.ts";
import { openReconcileMesh, type ReconcileMesh } from "./support/reconcile-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

let flow: ReconcileMesh;

beforeEach(async () => {
  flow = await openReconcileMesh();
});

afterEach(async () => {
  await flow.close();
});

/** `app` at a first commit, built and fit. */
async function buildFirst(): Promise<string> {
  const commit = await flow.origin.commit(filesModule("app", "one"));
  await flow.addModules("app");
  await flow.look();
  expect(await isFitAt(flow, "app", commit)).toBe(true);
  return commit;
}

async function listConditionMessages(): Promise<string[]> {
  return (await listConditions(flow.db, flow.mesh)).map((one) => `${one.code} ${one.subject}: ${one.message}`);
}

async function lookedAt(): Promise<string | null> {
  return (await listHeads(flow.db, flow.mesh))[0]?.lookedAt ?? null;
}

describe("a change becomes a build", () => {
  it("without any webhook, within the poll interval (R7, case 3)", async () => {
    await buildFirst();
    flow.watch(300);
    const second = await flow.origin.commit(filesModule("app", "two"));
    await waitUntil("the second build", () => isFitAt(flow, "app", second));
    expect(flow.wakes.some((why) => why.includes(`source moved: source#main at ${second.slice(0, 7)}`))).toBe(true);
  });

  it("when its trigger lands while another build runs (R7, case 1)", async () => {
    await flow.origin.commit(filesModule("app", "one"));
    await flow.addModules("app");
    flow.gates.hold("app");
    await flow.wake("commit A");
    await waitUntil("A is being built", async () => flow.gates.arrivals("app") === 1);
    const second = await flow.origin.commit(filesModule("app", "two"));
    await flow.wake("commit B");
    flow.gates.release("app");
    await flow.asleep();
    expect(await isFitAt(flow, "app", second)).toBe(true);
    // What was started ran to its end: A has a verdict too (R16).
    expect((await listBuilds(flow.db, flow.mesh, "app", 9)).map((one) => one.state)).toEqual(["fit", "fit"]);
  });

  it("though its webhook came before the git server answered the new tip (R7, case 2)", async () => {
    await buildFirst();
    // The poll would come after the end of this test.
    const before = await lookedAt();
    const watch = flow.watch(600_000);
    await waitUntil("the watch's own first look", async () => (await lookedAt()) !== before);
    const early = await lookedAt();
    watch.lookSoon("source");
    await waitUntil("the look that the webhook asked for, at the old tip", async () => (await lookedAt()) !== early);
    const second = await flow.origin.commit(filesModule("app", "two"));
    await waitUntil("the second build", () => isFitAt(flow, "app", second));
  });

  it("in a repository without webhooks while another has many (R7, case 3)", async () => {
    await buildFirst();
    const other = await createGitRepository();
    try {
      await addRepository(flow.db, flow.mesh, { name: "other", url: other.dir });
      await addModule(flow.db, flow.mesh, { name: "page", repository: "other", branch: "main", path: "page" });
      const watch = flow.watch(500);
      const commit = await other.commit(filesModule("page", "one"));
      await waitUntil("the build of the quiet repository", async () => {
        watch.lookSoon("source");
        return isFitAt(flow, "page", commit);
      });
    } finally {
      await other.remove();
    }
  });
});

describe("a source that is not as before (case 4)", () => {
  it("a forced push to an older commit is the wish, and what was judged is not built again", async () => {
    const first = await buildFirst();
    const { fitArtifact } = await readModule(flow, "app");
    await flow.origin.commit(filesModule("app", "two"));
    await flow.look();
    expect((await readModule(flow, "app")).fitArtifact).not.toBe(fitArtifact);
    await flow.origin.git("reset", "--quiet", "--hard", first);
    await flow.look();
    expect(await readModule(flow, "app")).toMatchObject({ sourceCommit: first, standing: "current", fitArtifact });
    expect(await listBuilds(flow.db, flow.mesh, "app", 9)).toHaveLength(2);
  });

  it("a branch that is gone keeps the last good, and a condition names it", async () => {
    const first = await buildFirst();
    await flow.origin.git("branch", "--move", "main", "elsewhere");
    await flow.look();
    expect(await isFitAt(flow, "app", first)).toBe(true);
    expect(await listConditionMessages()).toEqual([
      expect.stringMatching(/^source-unreachable source#main: .*there is no branch main.*last good commit stays/),
    ]);
  });

  it("a repository that does not answer keeps the last good until it answers again", async () => {
    const first = await buildFirst();
    await rename(flow.origin.dir, `${flow.origin.dir}-away`);
    await flow.look();
    expect(await isFitAt(flow, "app", first)).toBe(true);
    expect(await listConditionMessages()).toEqual([expect.stringMatching(/^source-unreachable source#main: /)]);
    await rename(`${flow.origin.dir}-away`, flow.origin.dir);
    const second = await flow.origin.commit(filesModule("app", "two"));
    await flow.look();
    expect(await isFitAt(flow, "app", second)).toBe(true);
    expect(await listConditionMessages()).toEqual([]);
  });

  it("a repository that never answered is said so, and stops no other (R42)", async () => {
    await addRepository(flow.db, flow.mesh, { name: "gone", url: "/nowhere/at/all" });
    await addModule(flow.db, flow.mesh, { name: "lost", repository: "gone", branch: "main", path: "lost" });
    await buildFirst();
    const lost = await readModule(flow, "lost");
    expect(lost).toMatchObject({
      standing: "cannot-tell",
      standingWhy: expect.stringMatching(/nowhere.*did not answer/),
    });
    expect(lost.standingWhy).not.toContain("there is no branch");
  });

  it("a folder that is gone is said, and is current no more (R8)", async () => {
    await buildFirst();
    await flow.origin.commit({ app: null, "README.md": "nothing here\n" });
    await flow.look();
    expect(await listStandings(flow)).toEqual(["app: broken"]);
  });
});

describe("many triggers", () => {
  it("fast commits: what was started ends, what waits is coalesced to the newest (R16, case 6)", async () => {
    await flow.origin.commit(filesModule("app", "one"));
    await flow.addModules("app");
    flow.gates.hold("app");
    await flow.wake("commit 1");
    await waitUntil("the first is being built", async () => flow.gates.arrivals("app") === 1);
    let newest = "";
    for (const text of ["two", "three", "four"]) {
      newest = await flow.origin.commit(filesModule("app", text));
      await flow.wake(`commit ${text}`);
      await waitUntil("it was seen", async () => (await readModule(flow, "app")).sourceCommit === newest);
    }
    flow.gates.release("app");
    await flow.asleep();
    expect(await isFitAt(flow, "app", newest)).toBe(true);
    expect(await listBuilds(flow.db, flow.mesh, "app", 9)).toHaveLength(2);
  });

  it("fifty wakes in a burst are a few looks, and a small history (R7, case 56)", async () => {
    const commit = await buildFirst();
    await Promise.all(Array.from({ length: 50 }, (_, at) => flow.wake(`burst ${at}`)));
    await flow.asleep();
    const { events } = await flow.client.workflow.getHandle(`reconcile/${flow.mesh}`).fetchHistory();
    const looks = (events ?? []).filter(
      (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === "compareSources",
    );
    expect(looks.length).toBeLessThanOrEqual(12);
    expect((events ?? []).length).toBeLessThan(350);
    expect(await isFitAt(flow, "app", commit)).toBe(true);
  });
});
