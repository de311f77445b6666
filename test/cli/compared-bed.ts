import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { judgeAll } from "../../bench/mesh/judge-all.ts";
import { compareAll } from "../../src/activities/compare-all.ts";
import type { ControlDependencies } from "../../src/activities/control-dependencies.ts";
import type { StepPlan } from "../../src/activities/control-types.ts";
import { createImportCache } from "../../src/activities/import-cache.ts";
import { planSteps } from "../../src/activities/plan-steps.ts";
import { createPushRecords } from "../../src/activities/push-records.ts";
import { createRepositoryPool } from "../../src/activities/repository-pool.ts";
import { createSilentSources } from "../../src/activities/silent-sources.ts";
import { mesh } from "../store/open-records.ts";
import { typescriptModule } from "../support/build-bed.ts";
import { createGitRepository, type GitRepository } from "../support/git-repository.ts";
import { type CommandBed, openCommandBed } from "./command-bed.ts";

/** A command bed with four modules of one real repository, compared, and each recorded as built. */
export interface ComparedBed extends CommandBed {
  readonly shop: GitRepository;
  /** `wave`: what it finds belongs to this one, which goes on. */
  compare(wave?: string): Promise<{ wave: string | null }>;
  /** As a controller does after it compared: how each module stands is kept. */
  plan(wave?: string, running?: readonly string[]): Promise<StepPlan>;
}

export async function openComparedBed(): Promise<ComparedBed> {
  const bed = await openCommandBed();
  const shop = await createGitRepository();
  const first = await shop.commit({
    ...typescriptModule("core", { "src/index.ts": "export const one = 1;\n" }),
    ...typescriptModule("mid", { "src/index.ts": `import "@test/core";\n` }),
    ...typescriptModule("page", {
      "src/index.ts": `\nimport "@test/mid";\n`,
      "src/a.test.ts": `import "@test/core";\n`,
    }),
    ...typescriptModule("other", { "src/index.ts": "export {};\n" }),
  });
  await bed.run("repo", "add", "shop", shop.dir);
  for (const name of ["core", "mid", "page", "other"])
    await bed.run("module", "add", name, "--repo", "shop", "--path", name);
  const deps = dependenciesOf(bed);
  const compare = (wave: string | null = null) =>
    compareAll(deps, { mesh, reasons: ["a test"], wave }, new AbortController().signal);
  await compare();
  await judgeAll(deps, first);
  return {
    ...bed,
    shop,
    compare,
    plan: (wave, running = []) => planSteps(deps, { mesh, wave: wave ?? null, running: [...running], done: [] }),
    async close() {
      await bed.close();
      await shop.remove();
    },
  };
}

function dependenciesOf(bed: CommandBed): ControlDependencies {
  const { db } = bed.records;
  return {
    db,
    mesh,
    repositories: createRepositoryPool(join(bed.state, "clones")),
    silent: createSilentSources(1_000),
    imports: createImportCache(db),
    describeToolchains: () => ({ typescript: "node 20" }),
    builders: { typescript: "typescript-1" },
    settingsFor: () => ({}),
    records: createPushRecords(db, mesh),
    lostAfterMs: 60_000,
    starvedAfterMs: 60_000,
    limits: { silentAfterMs: 60_000, recordsStaleAfterMs: 60_000, sourcesStaleAfterMs: 60_000 },
    nowMs: () => Date.now(),
    makeSuffix: () => randomUUID().slice(0, 8),
    random: () => 0.5,
  };
}
