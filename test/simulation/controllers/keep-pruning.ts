import { pruneAll } from "../../../src/activities/prune-records.ts";
import { DeadEpochError } from "../../../src/core/errors.ts";
import type { Parts } from "../parts.ts";
import { meshName } from "../world/mesh.ts";
import type { Controller } from "./controller.ts";

const everyMs = 12_000;
/** What is history after minutes here is after months elsewhere. */
const bounds = { keepMs: 15_000, last: 1 };

/** The controller's loop that prunes, with as little kept as its bounds allow. */
export function keepPruning({ timeline, story }: Parts, controller: Controller): void {
  const { process, connection } = controller;
  const prune = async (): Promise<void> => {
    const { lease } = controller;
    if (lease?.mayAct() !== true) return;
    const { epoch } = lease;
    const pass = { records: connection.prune, mesh: meshName, epoch, bounds, mayAct: () => lease.mayAct() };
    const gone = await pruneAll({ ...pass, pause: () => Promise.resolve() });
    for (const [kind, count] of Object.entries(gone)) story.say(`${process.name} prunes ${count} ${kind}`);
  };
  const loop = async (): Promise<never> => {
    for (;;) {
      await timeline.pass(everyMs, process);
      await prune().catch((error: unknown) => {
        if (error instanceof DeadEpochError) controller.kill();
      });
    }
  };
  void loop();
}
