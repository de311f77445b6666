import type { CommandCall, CommandDefinition, CommandResult } from "../command.ts";
import { parseName, parseSeconds } from "../arguments.ts";
import { expectApart, expectBeside } from "../expect-options.ts";
import { InputError } from "../../core/errors.ts";
import type { MeshConnection } from "../mesh-connection.ts";
import { createDiskLook } from "../own-disk.ts";
import { buildStatus, type StatusDocument } from "../status/build-status.ts";
import { loadStatus } from "../status/load-status.ts";
import { situationLimits } from "../situation-limits.ts";
import { narrowStatus, statusCode } from "../status/status-code.ts";
import { watchStatus } from "../status/watch-status.ts";
import { statusText } from "../text/status-text.ts";
import { pauseAfter, sleep } from "../wait.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
A node stands as one of: current, outstanding (told, not applied yet), out of date (would now be sent something else),
never told, not worked out, failed, stuck, un-ready, held, refused, reverted, silent, cannot tell.
KNOWN is how old that knowledge is. Of more than 200 nodes, or modules, those that are not settled have rows, and how many
stand how is counted; --all has every row, --json always. Exit code: 0 all settled, 1 pending, 2 something failed, 3 cannot tell.

Examples:
  mesh status
  mesh status meshboard
  mesh status --wait --timeout 120
  mesh status --watch --json        one document per line, whenever something changed`;

export const statusCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("[subject]", "a node or a module; all when left out")
      .option("--all", "every row; else, where there are more than 200 of a kind, those that are not settled")
      .option("--watch", "show it again whenever it changes, until Ctrl-C")
      .option("--wait", "wait until it is settled or has failed")
      .option("--timeout <seconds>", "how long --wait waits", "60")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const subject = call.args[0] === undefined ? null : parseName("node or module", call.args[0]);
    const { watch, wait } = call.options;
    expectApart(call, ["watch", ["wait", "timeout"]]);
    expectBeside(call, "timeout", { wait: "--wait" });
    const timeoutMs = parseSeconds("--timeout", call.options["timeout"], { min: 1, max: 86_400 });
    return await withMesh(call, async (connection) => {
      const look = createDiskLook(call.context, connection.state);
      const read = () => readStatus(connection, subject, look);
      if (watch === true) return await watchStatus(call, connection.state, read);
      const status = wait === true ? await waitSettled(call, read, timeoutMs) : await read();
      return resultOf(status, call.options["all"] === true);
    });
  },
};

async function readStatus(
  connection: MeshConnection,
  subject: string | null,
  look: ReturnType<typeof createDiskLook>,
): Promise<StatusDocument> {
  const { db, mesh, setup } = connection;
  const { lostAfterMs } = setup.settings;
  const records = await loadStatus(db, mesh, { limits: situationLimits(setup), lostAfterMs });
  const status = buildStatus({ ...records, conditions: await look(records.conditions) });
  if (subject === null) return status;
  const narrowed = narrowStatus(status, subject);
  if (narrowed === null) throw new InputError(`there is no node or module ${subject}`, "see mesh status");
  return narrowed;
}

async function waitSettled(
  call: CommandCall,
  read: () => Promise<StatusDocument>,
  timeoutMs: number,
): Promise<StatusDocument> {
  const interrupt = call.context.listenForInterrupt();
  const until = performance.now() + timeoutMs;
  for (;;) {
    const startedMs = performance.now();
    const status = await read();
    const code = statusCode(status);
    if (code === 0 || code === 2 || performance.now() >= until || interrupt.aborted) return status;
    await sleep(Math.min(pauseAfter(startedMs, 300), Math.max(1, until - performance.now())), interrupt);
  }
}

function resultOf(status: StatusDocument, all: boolean): CommandResult {
  const text = statusText(status, new Date(status.readAt), { all });
  return { code: statusCode(status), document: { ...status }, text };
}
