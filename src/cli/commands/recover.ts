import type { CommandDefinition } from "../command.ts";
import { parseNames, parseWhy } from "../arguments.ts";
import type { ExitCode } from "../../decide/exit-code.ts";
import { foreseeRecovery, recoverMesh, type Recovery } from "../../store/recovery.ts";
import { type RecoveryDocument, recoveryText } from "../text/recovery-text.ts";
import { whoAsks } from "../who-asks.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
A mesh is stopped when a host has what its records never sent, or when the records were restored: they are behind what was
once issued, and what would be sent by them is older than what hosts have. Builds and reports go on; nothing is sent.

Shows what each host has, and whether the records know it. --yes goes on above everything that was seen: epoch and number
are raised, so that hosts take what comes next, and the controller takes its lease anew. Nothing is sent by it. What the
records lost is not brought back: look at them first (assignments, configuration, modules), then push.

A host that was not heard since the stop may have more than the others, and a host that claims too much may lie: to go on
without the word of one, name it with --without. When one that was not heard turns out to be ahead, the mesh stops again.

Exit code: 0 not stopped, or recovered; 1 ready, --yes does it; 2 a host claims too much; 3 a host was not heard.

Examples:
  mesh recover
  mesh recover --without node-c --yes --why "records restored from the backup of Monday; node-c is scrapped"`;

export const recoverCommand: CommandDefinition = {
  configure: (command) => {
    command
      .option("--yes", "do it; without this nothing is changed")
      .option("--without <nodes...>", "hosts to go on without: not heard, or not believed")
      .option("--why <text>", "a reason, kept with the recovery")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const { options } = call;
    const without = parseNames("node", options["without"] ?? []);
    const why = parseWhy(options["why"], 500);
    return await withMesh(call, async ({ db, mesh }) => {
      const isAsked = options["yes"] === true;
      const recovery = isAsked
        ? await recoverMesh(db, { mesh, without, by: whoAsks(), why })
        : await foreseeRecovery(db, mesh, without);
      const document: RecoveryDocument = {
        mesh,
        stopped: recovery.stop,
        without,
        done: isAsked && recovery.plan.kind === "ready",
        plan: recovery.plan,
      };
      const text = recoveryText(document, call.context.now());
      return { code: codeOf(recovery, document.done), document: { ...document }, text };
    });
  },
};

function codeOf({ plan }: Recovery, done: boolean): ExitCode {
  if (plan.kind === "not-stopped") return 0;
  if (plan.kind === "blocked") return plan.tooFar.length > 0 ? 2 : 3;
  return done ? 0 : 1;
}
