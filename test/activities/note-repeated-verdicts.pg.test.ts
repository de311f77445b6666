import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noteRepeatedVerdicts } from "../../src/activities/note-repeated-verdicts.ts";
import type { BuildPlan } from "../../src/decide/plan-builds.ts";
import { clearCondition, listConditions } from "../../src/store/conditions.ts";
import type { Database } from "../../src/store/database.ts";
import { addModules, digestOf, mesh, openRecords, treeOf, type Records } from "../store/open-records.ts";

const modules = Array.from({ length: 40 }, (_, at) => `m${at}`);
const closure = (module: string) => ({
  module,
  language: "files",
  tree: treeOf(module),
  dependencies: {},
  toolchain: "",
  builder: "",
  thirdParties: null,
  settings: {},
});

let records: Records;
/** What was asked since it was last emptied. */
let asked: { readonly kind: string; readonly values: readonly unknown[] }[];
let db: Database;

beforeEach(async () => {
  records = await openRecords();
  await addModules(records.db, ...modules);
  asked = [];
  db = new Proxy(records.db, {
    get: (target, name, receiver) => {
      if (name !== "query") return Reflect.get(target, name, receiver) as unknown;
      return (sql: string, values: readonly unknown[] = []) => {
        const kind = /insert into condition|delete from condition|from build/.exec(sql)?.[0] ?? "other";
        asked.push({ kind, values });
        return target.query(sql, values);
      };
    },
  });
});
afterEach(() => records.close());

/** How `source` of each of these was judged. */
async function end(names: readonly string[], source: string, state: "unfit" | "outstanding", at: string) {
  await records.db.query(
    `insert into build as b (mesh, module, inputs, closure, commit, state, class, class_count, class_since, claimant, message,
                             started_at, ended_at)
       select $1, name, $3, '{}', $4, $5, case when $5 = 'outstanding' then 'disk' end, 1,
              case when $5 = 'outstanding' then $6::timestamptz end, 'x', 'why', $6::timestamptz, $6::timestamptz
         from unnest($2::text[]) as name
     on conflict (mesh, module, inputs) do update set class_count = b.class_count + 1, ended_at = excluded.ended_at`,
    [mesh, names, digestOf(source), treeOf(source), state, at],
  );
}

const noPlan: BuildPlan = {
  ready: [],
  building: [],
  current: [],
  waiting: [],
  unfit: [],
  outstanding: [],
  broken: [],
  cannotTell: [],
  cycles: [],
  order: [],
};
const unfitAt = (source: string, names: readonly string[] = modules): BuildPlan["unfit"] =>
  names.map((module) => ({ module, kind: "unfit", inputs: digestOf(source), closure: closure(module), why: "why" }));
const outstandingUntil = (retryAt: string): BuildPlan["outstanding"] =>
  modules.map((module) => ({ module, kind: "outstanding", inputs: digestOf("a"), retryAt, why: "why" }));

const counts = (): Record<string, number> => {
  const found: Record<string, number> = {};
  for (const { kind } of asked) found[kind] = (found[kind] ?? 0) + 1;
  asked = [];
  return found;
};
/** Of how many modules were verdicts read? */
const modulesRead = (): number =>
  asked.flatMap(({ kind, values }) => (kind === "from build" && Array.isArray(values[1]) ? values[1] : [])).length;

const note = (plan: Partial<BuildPlan>, now: string) => noteRepeatedVerdicts({ db, mesh }, { ...noPlan, ...plan }, now);
const said = async () =>
  (await listConditions(records.db, mesh)).map(({ code, subject, count }) => `${code} ${subject} ${count}`);

describe("conditions about verdicts that repeat, kept at each plan (R33)", () => {
  it("cost nothing for a module that stands as it stood in the plan before, and one statement for all others", async () => {
    for (const [at, source] of ["a", "b", "c"].entries())
      await end(modules, source, "unfit", `2026-01-01T0${at}:00:00Z`);
    const now = "2026-01-01T04:00:00.000Z";
    await note({ unfit: unfitAt("c") }, now);
    expect(modulesRead()).toBe(modules.length);
    expect(counts()).toEqual({ other: 1, "from build": 1, "insert into condition": 1 });
    expect(await said()).toHaveLength(modules.length);
    await note({ unfit: unfitAt("c") }, now);
    expect(counts()).toEqual({ other: 1 });
    await end(["m0"], "d", "unfit", "2026-01-01T05:00:00Z");
    await note({ unfit: [...unfitAt("d", ["m0"]), ...unfitAt("c", modules.slice(1))] }, now);
    expect(modulesRead()).toBe(1);
    expect(counts()).toEqual({ other: 1, "from build": 1, "insert into condition": 1 });
    expect(await said()).toContain("build-unfit m0 4");
    await note({ building: [{ module: "m1", kind: "building", inputs: digestOf("e"), why: "" }] }, now);
    expect(counts()).toEqual({ other: 1, "delete from condition": 1 });
    expect(await said()).toEqual(["build-unfit m1 3"]);
  });

  it("are there when a day is over, though nothing was built meanwhile", async () => {
    await end(modules, "a", "unfit", "2026-01-01T00:00:00Z");
    for (const now of ["2026-01-01T23:00:00.000Z", "2026-01-01T23:59:59.999Z"])
      await note({ unfit: unfitAt("a") }, now);
    expect(await said()).toEqual([]);
    expect(counts()).toEqual({ other: 2, "from build": 1 });
    await note({ unfit: unfitAt("a") }, "2026-01-02T00:00:00.000Z");
    expect(await said()).toHaveLength(modules.length);
    counts();
    await note({ unfit: unfitAt("a") }, "2026-01-05T00:00:00.000Z");
    expect(counts()).toEqual({ other: 1 });
  });

  it("count each time that a build could not be judged", async () => {
    for (const count of [1, 2, 3, 4]) {
      const at = `2026-01-01T00:0${count}:00.000Z`;
      await end(modules, "a", "outstanding", at);
      await note({ outstanding: outstandingUntil(at) }, at);
      expect(await said()).toEqual(count < 3 ? [] : expect.arrayContaining([`build-outstanding m7 ${count}`]));
    }
  });

  it("come again where somebody took one away, and with a module that was not in the plan before", async () => {
    for (const source of ["a", "b", "c"]) await end(modules, source, "unfit", "2026-01-01T00:00:00Z");
    const now = "2026-01-01T04:00:00.000Z";
    await note({ unfit: unfitAt("c") }, now);
    await clearCondition(records.db, mesh, { code: "build-unfit", subject: "m3" });
    await note({ unfit: unfitAt("c") }, now);
    expect(await said()).toContain("build-unfit m3 3");
    // A module that was away comes back as it stood.
    await note({ unfit: unfitAt("c", ["m0"]) }, now);
    expect(await said()).toEqual(["build-unfit m0 3"]);
    await note({ unfit: unfitAt("c") }, now);
    expect(await said()).toHaveLength(modules.length);
  });
});
