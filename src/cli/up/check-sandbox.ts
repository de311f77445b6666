import { tmpdir } from "node:os";
import { openSandbox } from "../../build/open-sandbox.ts";
import { sandboxLimits } from "../../build/sandbox.ts";
import { ensureSystemPackages } from "../../embedded/system-packages.ts";
import { plainLine } from "../text/plain.ts";
import type { UpParts } from "./up-plan.ts";

/**
 * Whether this machine can build in a sandbox; installs bubblewrap where that is possible. Without one a mesh builds only
 * what its settings allow.
 */
export async function checkSandbox(parts: UpParts): Promise<{ readonly works: boolean }> {
  const { missing, remedy } = await ensureSystemPackages(["bubblewrap"], { progress: parts.say, env: parts.env });
  if (missing.length > 0) {
    parts.say(`no sandbox: bubblewrap is missing. Install it: ${remedy}`);
    return { works: false };
  }
  const sandbox = await openSandbox();
  const tried = await sandbox.run({
    command: ["/usr/bin/env", "true"],
    folder: tmpdir(),
    mounts: [],
    network: "none",
    limits: sandboxLimits,
  });
  if (tried.kind === "exited" && tried.code === 0) return { works: true };
  const why = tried.kind === "unavailable" ? tried.why : sandbox.promises.join(" ");
  parts.say(`no sandbox: ${plainLine(why, 300)}`);
  return { works: false };
}
