import { hostname, userInfo } from "node:os";
import { plainLine } from "./text/plain.ts";

/** Who asks, as far as this machine knows: kept with what they asked for. Nothing is allowed or refused by it. */
export function whoAsks(): string {
  return plainLine(`${userName()}@${hostname()}`, 120);
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A uid without an entry in the passwd file, as in many containers.
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}
