import type { CommandDefinition } from "../command.ts";
import { findArtifacts, loadArtifacts } from "../artifacts/load-artifacts.ts";
import { openKnownStore, readRoot } from "../artifacts/open-store.ts";
import { type ArtifactFault, type VerifyArtifact, verifyArtifact } from "../../activities/verify-artifact.ts";
import { InputError } from "../../core/errors.ts";
import { adviseLoss, type LostUse } from "../../decide/advise-loss.ts";
import { keyOfArtifact } from "../../decide/group-losses.ts";
import type { ArtifactRecord } from "../../store/artifacts.ts";
import { interrupted, isInterrupt } from "../interrupted.ts";
import { listNeeded } from "../../store/artifact-doubts.ts";
import { type VerifiedArtifact, verifyText } from "../text/artifact-text.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Reads every byte again: the digest of the bytes and of what is in them, the manifest beside them, the signature of each
statement by a key of the role provenance, and that each statement says what the records say.

Exit code: 0 all is what it says, 2 something is not (each named), 3 the records or the store do not answer, or it was
interrupted before it had found any that is not.

Examples:
  mesh artifact verify meshboard
  mesh artifact verify --all`;

export const artifactVerifyCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("[artifact]", "a digest, or a module")
      .option("--all", "every artifact that was not collected")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const [word] = call.args;
    const all = call.options["all"] === true;
    if ((word === undefined) !== all)
      throw new InputError(
        "say which artifact, or --all",
        "mesh artifact verify MODULE, or mesh artifact verify --all",
      );
    return await withMesh(call, async (connection) => {
      const { db, mesh } = connection;
      const interrupt = call.context.listenForInterrupt();
      const known = await loadArtifacts(db, mesh);
      const chosen = all ? known.filter((one) => one.collectedAt === null) : findArtifacts(known, String(word));
      const deps = { db, mesh, store: await openKnownStore(connection), root: await readRoot(connection) };
      const beganMs = performance.now();
      const uses = new Map((await listNeeded(db, mesh)).map((use) => [keyOfArtifact(use), use]));
      const verified: VerifiedArtifact[] = [];
      for (const one of chosen) {
        const { module, digest } = one.artifact;
        call.context.stderr.write(`  ${module} ${digest.slice(7, 19)}\n`);
        const faults = await verifyUnlessInterrupted({ ...deps, signal: interrupt }, one);
        if (faults === null) break;
        const use = uses.get(keyOfArtifact({ module, artifact: digest }));
        verified.push({ module, digest, faults, remedy: faults.length === 0 ? null : adviseBad(module, use) });
      }
      const isBad = verified.some((one) => one.faults.length > 0);
      const unverified = chosen.length - verified.length;
      const cut = `it was interrupted: ${verified.length} of ${chosen.length} artifacts were verified`;
      if (unverified > 0 && !isBad) throw interrupted(`${cut}, and each is what it says`);
      const text = verifyText(verified, performance.now() - beganMs);
      return {
        code: isBad ? 2 : 0,
        document: { artifacts: verified, unverified },
        text: unverified === 0 ? text : `${text}\n${cut}`,
      };
    });
  },
};

/** Null: it was not verified to its end. One that was begun is given up, it may be of gigabytes. */
async function verifyUnlessInterrupted(
  deps: VerifyArtifact & { readonly signal: AbortSignal },
  record: ArtifactRecord,
): Promise<readonly ArtifactFault[] | null> {
  if (deps.signal.aborted) return null;
  try {
    return await verifyArtifact(deps, record);
  } catch (error) {
    if (!isInterrupt(error, deps.signal)) throw error;
    // absence is the answer: it was not verified to its end, and is counted as that
    return null;
  }
}

/** One that the source gives is put back by a build; of one that it gives no more somebody has to let go. */
function adviseBad(module: string, use: LostUse | undefined): string {
  if (use === undefined) return "nobody needs it: mesh artifact gc --delete takes it away";
  return use.isWanted
    ? `mesh build ${module} --again, or restore the artifact store from a copy`
    : adviseLoss(module, [use]);
}
