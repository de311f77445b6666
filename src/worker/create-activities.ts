import { randomBytes } from "node:crypto";
import { createBuildActivities } from "../activities/build.ts";
import { createControlActivities } from "../activities/control.ts";
import { createDeliverActivities } from "../activities/deliver.ts";
import { createImportCache } from "../activities/import-cache.ts";
import { createPushRecords } from "../activities/push-records.ts";
import { sealDeclaration } from "../link/declaration-envelope.ts";
import { sealSecret } from "../link/sealing.ts";
import type { WorkerParts } from "./create-workers.ts";
import { situationLimits } from "./situation-limits.ts";

/** The activities of the three queues, joined to this process's real parts. */
export function createActivities(worker: WorkerParts) {
  const { config, parts } = worker;
  const surroundings = {
    describeToolchains: parts.describeToolchains,
    builders: parts.builders,
    settingsFor: parts.sandboxes.settingsFor,
    lostAfterMs: config.lostAfterMs,
    nowMs: Date.now,
  };
  const control = createControlActivities({
    ...parts.look,
    ...surroundings,
    starvedAfterMs: config.starvedAfterMs,
    imports: createImportCache(parts.db),
    limits: situationLimits(config),
    records: createPushRecords(parts.db, config.mesh),
    random: Math.random,
    makeSuffix: () => randomBytes(2).toString("hex"),
  });
  const build = createBuildActivities({
    ...parts.look,
    db: parts.builderDb,
    ...surroundings,
    artifacts: parts.artifacts,
    sandboxFor: parts.sandboxes.sandboxFor,
    folders: { work: config.folders.builds, cache: config.folders.cache },
    random: Math.random,
    builder: parts.builder,
    registries: config.registries ?? {},
    limits: config.buildLimits ?? {},
  });
  const deliver = createDeliverActivities({
    records: createPushRecords(parts.db, config.mesh),
    mesh: config.mesh,
    epoch: worker.lease.epoch,
    mayAct: () => worker.lease.mayAct(),
    signDeclaration: (declaration) => sealDeclaration(declaration, [parts.trust.signingKey("declaration")]),
    sealSecret,
    staleAfterMs: config.staleAfterMs,
    nowMs: Date.now,
    makePassword: () => `${config.passwordPrefix}${randomBytes(24).toString("base64url")}`,
    onDeadEpoch: worker.onDeadEpoch,
  });
  return { control, build, deliver };
}
