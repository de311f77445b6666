import { StoppedError } from "../core/errors.ts";
import { sayStopped } from "../decide/judge-claim.ts";
import { readStop } from "../store/stop.ts";
import type { MeshConnection } from "./mesh-connection.ts";

/** Throws StoppedError before anything is begun that would only end with it (R35). The gate tests it again. */
export async function expectNotStopped({ db, mesh }: Pick<MeshConnection, "db" | "mesh">): Promise<void> {
  const stop = await readStop(db, mesh);
  if (stop !== null) throw new StoppedError(sayStopped(mesh, stop.why));
}
