import { createPruneRecords, planPruning, pruneAll, type PruneCounts } from "../../activities/prune-records.ts";
import { pruneBoundsOf, pruneDefaults } from "../../decide/plan-prune.ts";
import { getMesh } from "../../store/meshes.ts";
import type { CommandDefinition } from "../command.ts";
import { expectNotStopped } from "../expect-not-stopped.ts";
import { pruningText } from "../text/pruning-text.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Shows how many records would go and why the rest of what is old stays; --delete removes them now. The controller does so by
itself once an hour. What goes is older than history.days of settings.json (${pruneDefaults.days}) and not among the history.last
(${pruneDefaults.last}) of its node, module or kind. Kept however old: what any node was last sent, and all that its host may have;
what became of each node last; what goes on; every build whose artifact is there, or that is what its source gives; the
highest version of each credential. Epochs, numbers, roots and recoveries are never pruned. What only waits for others to go
(a push for what it told) is counted once those went.

Examples:
  mesh records prune
  mesh records prune --delete`;

export const recordsPruneCommand: CommandDefinition = {
  configure: (command) => {
    command.option("--delete", "do it; without this nothing is changed").addHelpText("after", help);
  },
  run: async (call) =>
    await withMesh(call, async (connection) => {
      const { db, mesh, setup } = connection;
      const bounds = pruneBoundsOf(setup.settings.history ?? {});
      const records = createPruneRecords(db, mesh);
      let gone: PruneCounts | null = null;
      if (call.options["delete"] === true) {
        // Records that are behind do not know what hosts have.
        await expectNotStopped(connection);
        // Under the holder's epoch, as all that a shell does; where another is granted meanwhile, this ends.
        const epoch = (await getMesh(db, mesh))?.epoch ?? 0;
        const pass = { records, mesh, epoch, bounds, mayAct: () => true };
        if (epoch > 0) gone = await pruneAll({ ...pass, pause: () => Promise.resolve() });
        else gone = {};
      }
      const plan = await planPruning({ records, bounds });
      const days = bounds.keepMs / 86_400_000;
      const document = { days, last: bounds.last, gone, plan };
      return { code: 0, document: { ...document }, text: pruningText(document) };
    }),
};
