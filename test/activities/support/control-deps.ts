import type { ControlDependencies } from "../../../src/activities/control-dependencies.ts";
import { createPushRecords } from "../../../src/activities/push-records.ts";
import { createRepositoryPool } from "../../../src/activities/repository-pool.ts";
import { createSilentSources } from "../../../src/activities/silent-sources.ts";
import { describeBuilder } from "../../../src/build/toolchain.ts";
import { createMemoryImportCache } from "../../../src/source/imports/import-cache.ts";
import { mesh, type Records } from "../../store/open-records.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

/** What the control activities need, over real records and clones in a folder of the test's own; `own` instead of parts of it. */
export async function openControl(
  { db }: Pick<Records, "db">,
  own: Partial<ControlDependencies> = {},
): Promise<ControlDependencies> {
  return {
    db,
    mesh,
    repositories: createRepositoryPool(await createTemporaryFolder()),
    silent: createSilentSources(1_000),
    imports: createMemoryImportCache(),
    describeToolchains: () => ({ files: "none" }),
    builders: { files: describeBuilder("files") },
    settingsFor: () => ({}),
    records: createPushRecords(db, mesh),
    lostAfterMs: 60_000,
    starvedAfterMs: 60_000,
    limits: { silentAfterMs: 60_000, recordsStaleAfterMs: 60_000, sourcesStaleAfterMs: 60_000 },
    nowMs: () => Date.now(),
    random: () => 0,
    makeSuffix: () => "test",
    ...own,
  };
}
