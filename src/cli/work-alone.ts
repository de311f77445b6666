import type { Name } from "../core/names.ts";
import { listHeads } from "../store/source-heads.ts";
import type { CommandCall, CommandResult } from "./command.ts";
import { expectModules } from "./expect-modules.ts";
import { withMesh } from "./with-mesh.ts";

/** A dry run in this process. The records are connected to while the code is loaded. */
export async function workAlone(call: CommandCall, names: readonly Name[]): Promise<CommandResult> {
  return await withMesh(call, async (connection) => {
    await expectModules(connection, names);
    const heads = listHeads(connection.db, connection.mesh);
    // absence is the answer: the dry run awaits it; it must only not be unhandled until then
    heads.catch(() => undefined);
    const { dryRun } = await import("./dry-run.ts");
    return await dryRun(call, connection, { names, heads });
  });
}
