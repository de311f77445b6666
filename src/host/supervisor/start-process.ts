import { spawn, type ChildProcess } from "node:child_process";
import type { ServiceUser } from "../service-user.ts";
import { nonceVariable, ownerVariable } from "./end-process.ts";
import { openLog } from "./service-log.ts";
import type { ServiceSpec } from "./service-run.ts";

const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * Starts a service as the leader of its own session and group, so that it outlives the host and is ended as a whole.
 * It gets nothing of the host's environment but where programs are. Rejects with the system's own error.
 */
export async function startProcess(
  spec: ServiceSpec,
  { nonce, folder, user }: { readonly nonce: string; readonly folder: string; readonly user: ServiceUser },
): Promise<ChildProcess> {
  const log = await openLog(spec.logFile);
  try {
    const [program, ...words] = spec.command;
    const child = spawn(program, words, {
      cwd: spec.folder,
      detached: true,
      stdio: ["ignore", log.fd, log.fd],
      env: {
        PATH: process.env["PATH"] ?? searchPath,
        HOME: spec.folder,
        LANG: process.env["LANG"] ?? "C.UTF-8",
        ...spec.env,
        [nonceVariable]: nonce,
        [ownerVariable]: folder,
      },
      ...(user.isOther ? { uid: user.uid, gid: user.gid } : {}),
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}
