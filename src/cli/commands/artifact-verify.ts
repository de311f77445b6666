import type { CommandDefinition } from "../command.ts";
import { findArtifacts, loadArtifacts } from "../artifacts/load-artifacts.ts";
import { openKnownStore, readRoot } from "../artifacts/open-store.ts";
import { verifyArtifact } from "../../activities/verify-artifact.ts";
import { InputError } from "../../core/errors.ts";
import { adviseLoss, type LostUse } from "../../decide/advise-loss.ts";
import { keyOfArtifact } from "../../decide/group-losses.ts";
import { listNeeded } from "../../store/artifact-doubts.ts";
import { type VerifiedArtifact, verifyText } from "../text/artifact-text.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Reads every byte again: the digest of the bytes and of what is in them, the manifest beside them, the signature of each
statement by a key of the role provenance, and that each statement says what the records say.

Exit code: 0 all is what it says, 2 something is not (each named), 3 the records or the store do not answer.

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
      const verified: VerifiedArtifact[] = [];
      const uses = new Map((await listNeeded(db, mesh)).map((use) => [keyOfArtifact(use), use]));
      for (const one of chosen) {
        const { module, digest } = one.artifact;
        call.context.stderr.write(`  ${module} ${digest.slice(7, 19)}\n`);
        const faults = await verifyArtifact({ ...deps, signal: interrupt }, one);
        const use = uses.get(keyOfArtifact({ module, artifact: digest }));
        verified.push({ module, digest, faults, remedy: faults.length === 0 ? null : adviseBad(module, use) });
      }
      return {
        code: verified.some((one) => one.faults.length > 0) ? 2 : 0,
        document: { artifacts: verified },
        text: verifyText(verified, performance.now() - beganMs),
      };
    });
  },
};

/** One that the source gives is put back by a build; of one that it gives no more somebody has to let go. */
function adviseBad(module: string, use: LostUse | undefined): string {
  if (use === undefined) return "nobody needs it: mesh artifact gc --delete takes it away";
  return use.isWanted
    ? `mesh build ${module} --again, or restore the artifact store from a copy`
    : adviseLoss(module, [use]);
}
