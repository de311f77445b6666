import type { Digest, Name } from "../../../src/core/names.ts";
import { artifactKey } from "../../../src/decide/world.ts";
import type { GateCommit } from "../store/backend.ts";
import { type KeptDeclaration, newestSent, type Records } from "../store/state.ts";
import { demand } from "./violation.ts";

/** I9b: who is not named by a person is sent the builds of its last send; a policy moves what is under it, and nothing else. */
export function checkBuilds(commit: GateCommit, { sent }: KeptDeclaration): void {
  const push = commit.view.pushes.get(sent.push);
  if (push === undefined) return;
  const isNamed = push.named.includes(sent.node);
  if (isNamed && push.kind !== "auto") return;
  const before = newestSent(commit.before, sent.node);
  const known = before?.incarnation === sent.incarnation ? before.builds : null;
  demand(known !== null, "I9b", () => {
    return `${sent.push} told ${sent.node}, whose builds nobody knows, and no person named it`;
  });
  for (const [module, build] of Object.entries(sent.builds ?? {})) {
    const was = known[module];
    if (was === build) continue;
    const mayMove = isNamed && was !== undefined && mayGoByItself(commit.view, module, build);
    demand(mayMove, "I9b", () => {
      const how = isNamed ? "its policy does not say so" : "did not name it";
      return `${sent.push} moved ${module} on ${sent.node} to another build, and ${how}`;
    });
  }
}

/** Its newest source and that of the build say so: R14. */
function mayGoByItself({ modules, artifacts }: Records, module: Name, build: Digest): boolean {
  const known = modules.get(module);
  const made = artifacts.get(artifactKey(module, build))?.manifest.upgrade;
  return known?.fit === build && made === "auto" && known.upgrade !== "record";
}
