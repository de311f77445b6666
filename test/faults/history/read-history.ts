import type { FaultBed } from "../mesh/bed.ts";
import type { History } from "./history.ts";
import { readJournal } from "./read-journal.ts";
import { readMachines } from "./read-machines.ts";
import { readRecords } from "./read-records.ts";

/** Everything that is known of this mesh's life so far. */
export async function readHistory(bed: FaultBed): Promise<History> {
  const records = await readRecords(bed.servers.url());
  const journals = await Promise.all(bed.hosts.nodes.map((node) => readJournal(node, bed.hosts.logFile(node))));
  // What was deleted meanwhile was granted all the same; what was changed was granted when it was first seen.
  const grants = new Map([...records.grants, ...bed.recorder.grants].map((one) => [`${one.epoch} ${one.holder}`, one]));
  return {
    ...records,
    grants: [...grants.values()].toSorted((a, b) => a.committedAt - b.committedAt),
    journal: journals.flat(),
    accounts: [...bed.recorder.accounts],
    leases: [...bed.recorder.leases],
    answers: [...bed.answers],
    machines: await readMachines(bed),
  };
}
