import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { compareAll } from "../../src/activities/compare-all.ts";
import type { ControlDependencies } from "../../src/activities/control-dependencies.ts";
import { createImportCache } from "../../src/activities/import-cache.ts";
import { planSteps } from "../../src/activities/plan-steps.ts";
import { describeBuilder, describeToolchains } from "../../src/build/toolchain.ts";
import { treeLimits } from "../../src/source/read-tree.ts";
import { addModule, listModules } from "../../src/store/modules.ts";
import { addRepository } from "../../src/store/repositories.ts";
import { getWave } from "../../src/store/waves.ts";
import { mesh, openRecords, type Records } from "../store/open-records.ts";
import {
  commitTree,
  createGitRepository,
  type GitRepository,
  hashObject,
  writeTree,
} from "../support/git-repository.ts";
import { openControl } from "./support/control-deps.ts";

let records: Records;
let origin: GitRepository;
let deps: ControlDependencies;

beforeEach(async () => {
  records = await openRecords();
  origin = await createGitRepository();
  const { db } = records;
  await addRepository(db, mesh, { name: "source", url: origin.dir });
  for (const name of ["huge", "small"])
    await addModule(db, mesh, { name, repository: "source", branch: "main", path: name });
  deps = await openControl(records, {
    imports: createImportCache(db),
    describeToolchains,
    builders: { files: describeBuilder("files"), typescript: describeBuilder("typescript") },
    makeSuffix: () => Math.random().toString(36).slice(2, 8),
  });
  onTestFinished(() => origin.remove());
});
afterEach(() => records.close());

/** A hundred folders of a hundred folders of a hundred TypeScript files that import something: four objects of git. */
async function writeMillion(): Promise<string> {
  const source = await hashObject(origin, "blob", Buffer.from(`import "@test/small";\n`));
  const names = Array.from({ length: 100 }, (_, at) => `n${at}`);
  let tree = await writeTree(
    origin,
    names.map((name) => ({ mode: "100644", name: `${name}.ts`, id: source })),
  );
  for (let level = 0; level < 2; level += 1) {
    const id = tree;
    tree = await writeTree(
      origin,
      names.map((name) => ({ mode: "40000", name, id })),
    );
  }
  return tree;
}

/** `huge` as it is given here, `small` as it is, and a million files that are no module's. */
async function commit(million: string, huge: string, text: string): Promise<void> {
  const manifest = await hashObject(origin, "blob", Buffer.from("module: small\nlanguage: files\n"));
  const page = await hashObject(origin, "blob", Buffer.from(text));
  const small = await writeTree(origin, [
    { mode: "100644", name: "mesh.yaml", id: manifest },
    { mode: "100644", name: "page.txt", id: page },
  ]);
  await commitTree(
    origin,
    await writeTree(origin, [
      { mode: "40000", name: "huge", id: huge },
      { mode: "40000", name: "nobodys", id: million },
      { mode: "40000", name: "small", id: small },
    ]),
  );
}

async function writeHuge(million: string): Promise<string> {
  const manifest = await hashObject(origin, "blob", Buffer.from("module: huge\nlanguage: typescript\n"));
  return await writeTree(origin, [
    { mode: "100644", name: "mesh.yaml", id: manifest },
    { mode: "40000", name: "src", id: million },
  ]);
}

async function look(): Promise<{ stands: string[]; announced: readonly string[]; steps: string[] }> {
  const { wave } = await compareAll(deps, { mesh, reasons: ["a test"], wave: null }, new AbortController().signal);
  const { steps } = await planSteps(deps, { mesh, wave, running: [], done: [] });
  return {
    stands: (await listModules(records.db, mesh)).map(({ name, standing }) => `${name}: ${standing}`),
    announced: wave === null ? [] : ((await getWave(records.db, mesh, wave))?.announced ?? []),
    steps: steps.map((step) => (step.kind === "build" ? step.module : step.kind)),
  };
}

it(
  "a module of a million files is broken in the records, with the limit; what lies beside it, and a million of nobody's, stop no other (case 54)",
  { timeout: 240_000 },
  async () => {
    const million = await writeMillion();
    const huge = await writeHuge(million);
    await commit(million, huge, "one");
    expect(await look()).toEqual({
      stands: ["huge: broken", "small: out-of-date"],
      announced: ["small"],
      steps: ["small"],
    });
    const { db } = records;
    const [found] = await listModules(db, mesh);
    expect(found).toMatchObject({ tree: null, standingWhy: expect.stringContaining(String(treeLimits.files)) });
    // None of the million is in the records.
    const { rows } = await db.query(
      `select (select count(*)::int from blob_imports) as parsed, (select max(length(known::text)) from module) as known`,
    );
    expect(rows).toEqual([{ parsed: 0, known: expect.any(Number) }]);
    expect((rows[0] as { known: number }).known).toBeLessThan(10_000);

    // Looked at again and again it stays one sentence; a commit beside it is built; a commit of it mends it.
    await commit(million, huge, "two");
    expect((await look()).stands).toEqual(["huge: broken", "small: out-of-date"]);
    const manifest = await hashObject(origin, "blob", Buffer.from("module: huge\nlanguage: files\n"));
    await commit(million, await writeTree(origin, [{ mode: "100644", name: "mesh.yaml", id: manifest }]), "two");
    expect((await look()).stands).toEqual(["huge: out-of-date", "small: out-of-date"]);
  },
);
