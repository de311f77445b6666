import type { ConditionKind } from "./condition-codes.ts";
import { oneName, twoNames } from "./condition-subject.ts";

/** Conditions about hosts: who calls as one, and what one found on its machine. */
export const hostConditionKinds: readonly ConditionKind[] = [
  {
    code: "unknown-host",
    subject: "node, or `no node` for names that none has",
    names: oneName,
    watches:
      "somebody calls as a host, with a key that these records do not know; it is over when nobody did for 5 minutes, or since the node's host was enrolled",
    opens: ["worker/watch-strangers.ts"],
    closes: ["worker/watch-strangers.ts"],
    // Anybody who reaches the port can open it.
    urgent: "no",
    remedy:
      "where restored records lost its enrolment: `mesh host token NODE` and enrol it again in its own folder (`mesh up` does it for its examples' hosts as it starts); else find out who calls",
  },
  {
    code: "host-clock",
    subject: "node",
    names: oneName,
    watches:
      "a host's clock is more than a minute from the controller's, so that no call of it is let in; it is over when none was refused for it for 5 minutes",
    opens: ["worker/watch-strangers.ts"],
    closes: ["worker/watch-strangers.ts"],
    urgent: "no",
    remedy: "set that machine's clock, or the controller's, and keep them so (NTP); the host goes on by itself",
  },
  {
    code: "stranger-watch-failing",
    subject: "hosts",
    watches: "the loop that keeps who calls without being known cannot go on",
    opens: ["worker/watch-strangers.ts"],
    closes: ["worker/watch-strangers.ts"],
    urgent: "no",
    remedy: "see the controller's log",
  },
  {
    code: "second-writer",
    subject: "node",
    names: oneName,
    watches:
      "a host refused a declaration for it that is signed with a key of this mesh and that these records never sent; the epoch says whose",
    // Said once of each offer that is refused: that none comes any more is no sign that nobody could.
    opens: ["decide/find-second-writer.ts", "store/second-writer.ts"],
    closes: "a person",
    urgent: "yes",
    remedy:
      "end whatever controller runs from a copy of these records; is there none, take the declaration key back that was stolen: `mesh keys rotate declaration --revoke ID`",
  },
  {
    code: "account-unreadable",
    subject: "node",
    names: oneName,
    watches:
      "the records of a host's latest report do not read, as after a step back to an older release or a change by hand: how its node stands cannot be told; it is over when a later report is kept",
    opens: ["worker/watch-accounts.ts"],
    closes: ["worker/watch-accounts.ts"],
    urgent: "no",
    remedy:
      "let its host report, which it does every minute; does this stay, run the newer release of the controller again, or see who changes the records",
  },
  {
    code: "account-watch-failing",
    subject: "accounts",
    watches: "the loop that looks whether what hosts reported reads cannot go on",
    opens: ["worker/watch-accounts.ts"],
    closes: ["worker/watch-accounts.ts"],
    urgent: "no",
    remedy: "see the controller's log",
  },
  {
    code: "drift-mended",
    subject: "node",
    names: oneName,
    watches: "a host found something otherwise than it had read it back, and put it right; over an hour after the last",
    opens: ["decide/describe-drifts.ts", "worker/watch-drifts.ts"],
    closes: ["worker/watch-drifts.ts"],
    urgent: "no",
    remedy: "find out who changes things on that machine; `mesh why NODE`",
  },
  {
    code: "data-lost",
    subject: "node/module",
    names: twoNames,
    watches: "a module's data folder was gone, and its host made it anew, empty",
    opens: ["decide/describe-drifts.ts", "worker/watch-drifts.ts"],
    closes: "a person",
    urgent: "yes",
    remedy: "put the data back from your backup, or see that nothing is missed",
  },
  {
    code: "drift-watch-failing",
    subject: "drift",
    watches: "the loop that keeps what hosts found changed cannot go on",
    opens: ["worker/watch-drifts.ts"],
    closes: ["worker/watch-drifts.ts"],
    urgent: "no",
    remedy: "see the controller's log",
  },
];
