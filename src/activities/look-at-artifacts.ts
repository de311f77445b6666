import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { ArtifactStore } from "../build/artifact-store.ts";
import { errorCode, UnavailableError } from "../core/errors.ts";
import type { Name } from "../core/names.ts";
import { adviseLoss } from "../decide/advise-loss.ts";
import { groupLosses, keyOfArtifact } from "../decide/group-losses.ts";
import { judgeLosses } from "../decide/judge-losses.ts";
import { shortId } from "../decide/short-names.ts";
import {
  type ArtifactDoubt,
  type ArtifactName,
  dropDoubts,
  listDoubts,
  listNeeded,
  type NeededArtifact,
  recordLost,
  recordSound,
} from "../store/artifact-doubts.ts";
import { getArtifact } from "../store/artifacts.ts";
import { askBuildCheck } from "../store/build-check-queue.ts";
import { getBuild } from "../store/builds.ts";
import { dropProvenance } from "../store/collection.ts";
import { clearCondition, listConditions, type Observation, observeCondition } from "../store/conditions.ts";
import type { Database } from "../store/database.ts";
import { getModule } from "../store/modules.ts";
import { findLostFiles, sortStatements } from "./verify-artifact.ts";

export interface LookAtArtifacts {
  /** The controller's: it says what is lost. */
  readonly db: Database;
  /** The builder's: second builds are its own. */
  readonly builderDb: Database;
  readonly mesh: Name;
  readonly artifacts: ArtifactStore;
  readonly signal: AbortSignal;
}

const code = "artifact-lost";
/** No module's name: it has a space in it. */
const storeSubject = "the store";

/**
 * Looks whether the files of artifacts are there, and has what is lost built again at the inputs it had. `all`: every one
 * that is needed, by name and size; else only those that somebody asked about, byte by byte. UnavailableError where the
 * store does not answer: then nothing is lost, as far as anybody can tell.
 */
export async function lookAtArtifacts(deps: LookAtArtifacts, look: { readonly all: boolean }): Promise<void> {
  const { db, mesh } = deps;
  const doubts = await listDoubts(db, mesh);
  const asked = doubts.filter(
    ({ state, isPackedSince }) => state === "asked" || (state === "lost" && (look.all || isPackedSince)),
  );
  if (!look.all && asked.length === 0) return;
  await expectStore(deps);
  const store = look.all ? await lookAtAll(deps, doubts) : null;
  for (const doubt of asked) await lookAtOne(deps, doubt);
  await sayLosses(deps, { ...look, store });
}

/** A folder that is not there any more, or is another one, says nothing about what was in it. */
async function expectStore({ artifacts: { dir } }: LookAtArtifacts): Promise<void> {
  try {
    const names = await readdir(dir);
    await readdir(join(dir, "blobs", "sha256"));
    if (names.includes("oci-layout")) return;
  } catch (error) {
    if (errorCode(error) === null) throw error;
    throw new UnavailableError(`the artifact store in ${dir} does not answer`, "see that its disk is mounted", {
      cause: error,
    });
  }
  throw new UnavailableError(`${dir} is no artifact store`, "see that its disk is mounted");
}

/** Answers what is wrong with the store as a whole; null: nothing. */
async function lookAtAll(deps: LookAtArtifacts, doubts: readonly ArtifactDoubt[]): Promise<Observation | null> {
  const { db, mesh, artifacts } = deps;
  const needed = await listNeeded(db, mesh);
  const lost: (ArtifactName & { readonly found: string })[] = [];
  for (const { module, artifact, blob, blobBytes } of needed) {
    deps.signal.throwIfAborted();
    const there = await artifacts.statBlob(blob);
    if (there === null) lost.push({ module, artifact, found: `its bytes ${blob} are not in the artifact store` });
    else if (there.bytes !== blobBytes)
      lost.push({ module, artifact, found: `it has ${there.bytes} bytes, the records say ${blobBytes}` });
  }
  const known = new Set(doubts.filter(({ state }) => state === "lost").map(keyOfArtifact));
  const isKnown = (one: ArtifactName): boolean => known.has(keyOfArtifact(one));
  if (judgeLosses(needed.length, lost.length) === "ask" && !lost.every(isKnown))
    return {
      code,
      subject: storeSubject,
      message: `none of the ${needed.length} artifacts that are needed is in the artifact store ${artifacts.dir}`,
      remedy:
        "see that its disk is mounted, or bring it back from a copy; mesh build --again builds what is lost again",
      urgent: true,
    };
  for (const one of lost) if (!isKnown(one)) await recordLost(db, mesh, one, one.found);
  return null;
}

async function lookAtOne(deps: LookAtArtifacts, doubt: ArtifactDoubt): Promise<void> {
  const { db, mesh } = deps;
  const record = await getArtifact(db, mesh, doubt.module, doubt.artifact);
  if (record === null || record.collectedAt !== null) return dropDoubts(db, mesh, [doubt]);
  const withStore = { db, mesh, store: deps.artifacts, signal: deps.signal };
  const statements = doubt.state === "lost" ? await sortStatements(withStore, record) : null;
  // It was built again and has a new statement: what is left of the lost one is its name.
  if (statements !== null && statements.lost.length > 0 && statements.kept.length > 0)
    await dropProvenance(db, mesh, statements.lost);
  const lost = await findLostFiles(withStore, record);
  if (lost.length > 0) {
    await recordLost(db, mesh, doubt, lost.join("; "));
    return;
  }
  // All there, and somebody doubts it: whether the same inputs give it again is found out beside everything else.
  if (doubt.state === "asked" && doubt.askedBy === "person") await askSecondBuild(deps, doubt);
  await recordSound(db, mesh, doubt);
}

/** Of the inputs that its module was fit at last, which are those that a person asks about. */
async function askSecondBuild(
  { db, builderDb, mesh }: LookAtArtifacts,
  { module, artifact }: ArtifactName,
): Promise<void> {
  const inputs = (await getModule(db, mesh, module))?.fitInputs ?? null;
  const build = inputs === null ? null : await getBuild(db, mesh, module, inputs);
  if (build?.artifact === artifact)
    await askBuildCheck(builderDb, mesh, { module, inputs: build.inputs, artifact, why: "a person asked" });
}

async function sayLosses(
  { db, mesh }: LookAtArtifacts,
  { store, all }: { readonly store: Observation | null; readonly all: boolean },
): Promise<void> {
  const needed = await listNeeded(db, mesh);
  const said: Observation[] = store === null ? [] : [store];
  const lost = (await listDoubts(db, mesh)).filter(({ state }) => state === "lost");
  const { byModule, unneeded } = groupLosses(lost, needed);
  if (unneeded.length > 0) await dropDoubts(db, mesh, unneeded);
  for (const [subject, losses] of byModule)
    said.push({
      code,
      subject,
      message: losses.map((one) => describeLoss(one.lost, one.use)).join("; "),
      remedy: adviseLoss(
        subject,
        losses.map(({ use }) => use),
      ),
      urgent: false,
    });
  for (const one of said) await observeCondition(db, mesh, one);
  const subjects = new Set(said.map(({ subject }) => subject));
  for (const open of await listConditions(db, mesh)) {
    // Only a look at all of them says that the store is there again.
    const isSeen = all || open.subject !== storeSubject;
    if (open.code === code && isSeen && !subjects.has(open.subject)) await clearCondition(db, mesh, open);
  }
}

function describeLoss({ module, artifact, found }: ArtifactDoubt, { sentTo }: NeededArtifact): string {
  const sent =
    sentTo.length === 0 ? "" : `, which ${sentTo.join(", ")} ${sentTo.length === 1 ? "was" : "were"} last sent,`;
  return `artifact ${shortId(artifact)} of ${module}${sent} is lost: ${found}`;
}
