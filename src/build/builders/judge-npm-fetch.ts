import { lockFile } from "../../source/imports/package-facts.ts";
import { readLockFile } from "../../source/imports/package-lock.ts";
import { type BuildOutcome, outstanding, unfit } from "./builder.ts";
import { describeOtherBytes } from "./other-bytes.ts";

/**
 * What the lock file itself is to blame for is the module's; everything else may answer better another time. By npm's own
 * code for what happened, at the beginning of a line: names out of the lock file are in its words too.
 */
export function judgeNpmFetch(log: string, lockText: string): BuildOutcome {
  const message = log.trim().split("\n").slice(0, 8).join("\n");
  const code = /^npm (?:ERR!|error) code (\w+)$/m.exec(log)?.[1];
  if (code === "EINTEGRITY")
    return outstanding("registry", describeMismatch(log, lockText) ?? `${lockFile}: ${message}`);
  if (code === "EUSAGE" || code === "EINVALIDPACKAGENAME") return unfit("compile", `${lockFile}: ${message}`);
  return outstanding("registry", `packages could not be fetched: ${message}`);
}

/** npm names the two digests; whose they are is in the lock file. */
function describeMismatch(log: string, lockText: string): string | null {
  const said = /integrity checksum failed when using \w+: wanted (\S+) but got (\S+)/.exec(log);
  const lock = readLockFile(lockText);
  if (said?.[1] === undefined || said[2] === undefined || lock.kind === "refused") return null;
  const wanted = said[1].replace(/\.$/, "");
  const entry = [...lock.packages].find(([, one]) => one.integrity?.split(" ").includes(wanted) === true);
  if (entry === undefined) return null;
  const [path, { version, resolved }] = entry;
  const what = `${path.replace(/^.*node_modules\//, "")} ${version ?? ""}`.trim();
  return describeOtherBytes({ lock: lockFile, what, wanted, got: said[2].replace(/\.$/, ""), from: resolved ?? null });
}
