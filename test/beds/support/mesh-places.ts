import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import { z } from "zod";
import { listFiles, listHistories, listProcessPlaces, listRows, type Place } from "../../support/canary-places.ts";
import { listMeshProcesses } from "./mesh-processes.ts";
import type { Ran } from "./run-mesh.ts";

export interface WhereToLook {
  /** Holds the state folder, the hosts' folders and their logs. */
  readonly folder: string;
  readonly state: string;
  /** What commands answered. */
  readonly said: readonly Ran[];
  /** False: there is no database, no Temporal and no controller to look at, only what they left. */
  readonly isUp: boolean;
}

const meshFileSchema = z.object({ temporal: z.object({ address: z.string(), namespace: z.string() }) });

/** Every place of a mesh in which no clear secret may be (R46). */
export async function* listMeshPlaces({ folder, state, said, isUp }: WhereToLook): AsyncGenerator<Place> {
  for (const [index, { stdout, stderr }] of said.entries())
    yield { what: `output of command ${index}`, bytes: Buffer.from(`${stdout}\n${stderr}`) };
  yield* listFiles(folder, isMeantToHoldIt);
  const processes = (await listMeshProcesses(folder)).map(({ pid }) => pid);
  yield* listProcessPlaces(processes);
  if (!isUp) return;
  yield* listRows((await readFile(join(state, "secrets", "database-url"), "utf8")).trim());
  const { temporal } = meshFileSchema.parse(JSON.parse(await readFile(join(state, "mesh.json"), "utf8")));
  const connection = await Connection.connect({ address: temporal.address });
  try {
    yield* listHistories(new Client({ connection, namespace: temporal.namespace }));
  } finally {
    await connection.close();
  }
}

/**
 * The one file in which a service is given its credentials, what services keep for themselves (a provider's server among
 * them), and the setting that this very marker is made by.
 */
function isMeantToHoldIt(path: string): boolean {
  return /\/root\/etc\/[^/]+\/provisions\.json$|\/root\/data\/|^state\/settings\.json$/.test(path);
}
