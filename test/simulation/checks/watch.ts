import { guard, type Parts } from "../parts.ts";
import { meshName } from "../world/mesh.ts";
import { createCommitChecks } from "./check-commits.ts";
import { createHostChecks, type HostChecks } from "./check-hosts.ts";
import { demand, ViolationError } from "./violation.ts";

/** Looks at everything that the records are told. */
export function watch(parts: Parts): HostChecks {
  const { store, story } = parts;
  const commits = createCommitChecks((envelope) => {
    const opened = parts.envelopes.open(envelope, meshName);
    if (!opened.ok) throw new ViolationError("I6", "an envelope that nobody signed is in a mailbox");
    return opened.declaration;
  });
  const hosts = createHostChecks(commits);
  let highest = 0;
  store.onCommit = (commit) => {
    parts.counts.sends += 1;
    story.say(`${commit.by} commits ${commit.epoch}.${commit.numbers.join(",")}`);
    guard(parts, () => commits.see(commit));
  };
  store.onGrant = ({ epoch, holder }) => {
    story.say(`epoch ${epoch} is granted to ${holder}`);
    guard(parts, () => demand(epoch > highest, "I2", () => `${holder} is granted epoch ${epoch} after ${highest}`));
    highest = Math.max(highest, epoch);
  };
  store.onDeclaration = (node) => parts.waiters.wake(node);
  store.onKept = (report) => guard(parts, () => hosts.kept(report));
  return hosts;
}
