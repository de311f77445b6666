import { type FollowedPart, listBuildLog } from "../store/build-log.ts";
import type { CommandCall } from "./command.ts";
import type { MeshConnection } from "./mesh-connection.ts";
import { plainLines } from "./text/plain.ts";

/** Parts are stamped when they are written and seen when they are committed: so far back nothing is missed. */
const overlapMs = 5_000;

/**
 * What builds print, from a moment on: each call shows what is new. On standard error, each line behind its module;
 * under `--json` one document a part on standard output.
 */
export function createLogFollower(
  call: CommandCall,
  { db, mesh }: Pick<MeshConnection, "db" | "mesh">,
  follow: { readonly modules: readonly string[]; readonly from: string },
): () => Promise<void> {
  const seen = new Set<string>();
  let newestMs = Date.parse(follow.from);
  return async () => {
    const after = new Date(Math.max(Date.parse(follow.from), newestMs - overlapMs)).toISOString();
    for (const part of await listBuildLog(db, mesh, { modules: follow.modules, after })) {
      const key = `${part.module} ${part.inputs} ${part.attempt} ${part.part}`;
      if (seen.has(key)) continue;
      seen.add(key);
      newestMs = Math.max(newestMs, Date.parse(part.at));
      show(call, part);
    }
  };
}

function show({ context, options }: CommandCall, part: FollowedPart): void {
  if (options.json) context.stdout.write(`${JSON.stringify({ schema: "mesh.build-log.v1", ...part })}\n`);
  else for (const line of plainLines(part.text)) context.stderr.write(`  ${part.module} | ${line}\n`);
}
