import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSilentSources } from "../../src/activities/silent-sources.ts";
import type { RepositoryPool } from "../../src/activities/repository-pool.ts";
import { UnavailableError } from "../../src/core/errors.ts";
import { listConditions } from "../../src/store/conditions.ts";
import type { Queryable } from "../../src/store/database.ts";
import { addModule } from "../../src/store/modules.ts";
import { addRepository } from "../../src/store/repositories.ts";
import { watchTrouble } from "../../src/worker/note-trouble.ts";
import { type SourceWatch, watchSources } from "../../src/worker/watch-sources.ts";
import { mesh, openRecords, type Records, until } from "../store/open-records.ts";

let records: Records;
let watch: SourceWatch | null = null;

beforeEach(async () => {
  records = await openRecords();
  return () => records.close();
});
afterEach(async () => {
  await watch?.stop();
  watch = null;
});

const log = pino({ level: "silent" });
const codes = async (): Promise<string[]> => (await listConditions(records.db, mesh)).map((one) => one.code);

async function follow(repository: string): Promise<void> {
  await addRepository(records.db, mesh, { name: repository, url: `https://git.test/${repository}.git` });
  await addModule(records.db, mesh, { name: `m-${repository}`, repository, branch: "main", path: "m" });
}

/** Sources that answer unless they are in `away`; counts how often each was asked. */
function createSources(away: Set<string>) {
  const asked = new Map<string, number>();
  const repositories = {
    async open({ name }: { readonly name: string }) {
      asked.set(name, (asked.get(name) ?? 0) + 1);
      if (away.has(name)) throw new UnavailableError(`${name} does not answer`);
      return { lookAtHeads: async () => new Map([["main", "a".repeat(40)]]) };
    },
  } as unknown as RepositoryPool;
  return { repositories, countOf: (name: string) => asked.get(name) ?? 0 };
}

function start(repositories: RepositoryPool, wake: () => Promise<void> = () => Promise.resolve()): SourceWatch {
  watch = watchSources({
    db: records.db,
    mesh,
    repositories,
    silent: createSilentSources(5, { nowMs: () => performance.now(), random: () => 0.5 }),
    pollIntervalMs: 5,
    lostAfterMs: 60_000,
    describeToolchains: () => ({}),
    wake,
    log,
    random: () => 0.5,
  });
  return watch;
}

describe("a source that does not answer (R33, case 4)", () => {
  it("is polled less and less often while the others are polled on, and at once when a webhook names it", async () => {
    await follow("well");
    await follow("away");
    const away = new Set(["away"]);
    const { repositories, countOf } = createSources(away);
    const watching = start(repositories);
    await until(async () => countOf("well") >= 60, 60_000);
    // Doubled at each failure: of 60 polls of 5 ms it can have had a handful.
    expect(countOf("away")).toBeLessThan(countOf("well") / 2);
    expect(await codes()).toEqual(["source-unreachable"]);
    away.delete("away");
    watching.lookSoon("away");
    await until(async () => (await codes()).length === 0, 30_000);
  });

  it("keeps nobody who stops waiting, and nothing is said of it for that (R34)", async () => {
    await follow("hung");
    let asked = 0;
    const hung = {
      lookAtHeads: (_branches: readonly string[], signal?: AbortSignal) =>
        new Promise((_resolve, reject) => {
          asked += 1;
          // As git that was killed.
          signal?.addEventListener("abort", () => reject(new UnavailableError("hung did not answer")));
        }),
    };
    const watching = start({ open: () => Promise.resolve(hung) } as unknown as RepositoryPool);
    await until(async () => asked > 0);
    await watching.stop();
    expect(await codes()).toEqual([]);
    expect(asked).toBe(1);
  });

  it("opens a condition where the loop itself cannot go on, and closes it when it can", async () => {
    await follow("well");
    let isBroken = true;
    const { repositories } = createSources(new Set());
    const open = repositories.open.bind(repositories);
    const breaking: RepositoryPool = {
      open: (address) => (isBroken ? Promise.reject(new Error("no file handles")) : open(address)),
    };
    start(breaking);
    await until(async () => (await codes()).includes("source-watch-failing"), 30_000);
    isBroken = false;
    await until(async () => (await codes()).length === 0, 30_000);
  });
});

describe("the condition of a loop (R33)", () => {
  const condition = { code: "listener-lost", subject: "declarations", what: "nothing is heard", remedy: "wait" };

  it("is not opened by a Temporal that does not answer: sources are looked at, and what is due is said when it does", async () => {
    await follow("shop");
    const sources = createSources(new Set());
    let isAway = true;
    let wakes = 0;
    start(sources.repositories, () => {
      if (isAway) return Promise.reject(new UnavailableError("Temporal does not answer"));
      wakes += 1;
      return Promise.resolve();
    });
    await until(() => Promise.resolve(sources.countOf("shop") > 5 ? true : null));
    expect(await codes()).toEqual([]);
    isAway = false;
    await until(() => Promise.resolve(wakes > 0 ? true : null));
  });

  it("that a controller before left open is closed by the first success", async () => {
    await watchTrouble({ db: records.db, mesh, log }, condition).failed(new Error("cut"));
    expect(await listConditions(records.db, mesh)).toMatchObject([{ message: "nothing is heard: cut", count: 1 }]);
    await watchTrouble({ db: records.db, mesh, log }, condition).fine();
    expect(await codes()).toEqual([]);
  });

  it("is said again at each failure, and asks nothing of the records while all is well", async () => {
    const trouble = watchTrouble({ db: records.db, mesh, log }, condition);
    await trouble.failed(new Error("one"));
    await trouble.failed(new Error("two"));
    expect(await listConditions(records.db, mesh)).toMatchObject([{ message: "nothing is heard: two", count: 2 }]);
    await trouble.fine();
    await watchTrouble({ db: records.db, mesh, log }, condition).failed(new Error("of somebody else"));
    await trouble.fine();
    expect(await codes()).toEqual(["listener-lost"]);
  });

  it("is closed by a success that is told while the failure before it is still being written", async () => {
    const slow: Queryable = {
      query: async (sql, values) => {
        if (sql.startsWith("insert")) await new Promise((resolve) => setTimeout(resolve, 50));
        return records.db.query(sql, values);
      },
    };
    const trouble = watchTrouble({ db: slow, mesh, log }, condition);
    await Promise.all([trouble.failed(new Error("cut")), trouble.fine()]);
    expect(await codes()).toEqual([]);
  });

  it("that cannot be kept stops no loop", async () => {
    const ended = records.open();
    await ended.end();
    const trouble = watchTrouble({ db: ended, mesh, log }, condition);
    await trouble.failed(new Error("cut"));
    await trouble.fine();
    expect(await codes()).toEqual([]);
  });
});
