import type { ConditionKind } from "./condition-codes.ts";

/** Conditions about keys, roots and certificates: what hosts believe the controller by. */
export const keyConditionKinds: readonly ConditionKind[] = [
  {
    code: "key-expires-soon",
    subject: "key or root",
    watches: "a key or the root document ends soon",
    opens: ["worker/watch-keys.ts"],
    closes: ["worker/watch-keys.ts"],
    urgent: "when it is near",
    remedy: "`mesh keys rotate`, or a newer root",
  },
  {
    code: "no-signing-key",
    subject: "role",
    watches: "the controller has no key of that role that the root lists",
    opens: ["worker/watch-keys.ts"],
    closes: ["worker/watch-keys.ts"],
    urgent: "for declarations",
    remedy: "copy the file that is named, or `mesh keys rotate ROLE`, then sign and publish the root",
  },
  {
    code: "newest-key-elsewhere",
    subject: "role",
    watches:
      "the newest key of that role in the root is not on the controller's machine, so that it can sign nothing when the one before ends",
    opens: ["worker/watch-keys.ts"],
    closes: ["worker/watch-keys.ts"],
    urgent: "when it is near",
    remedy: "copy the file that is named to the controller's `secrets/`; it is used without a restart",
  },
  {
    code: "root-refused",
    subject: "records",
    watches: "the records or keys/roots hold a next root that the present one does not accept",
    opens: ["worker/watch-keys.ts"],
    closes: ["worker/watch-keys.ts"],
    urgent: "yes",
    remedy: "remove that row of root_document, or that file, and find out who wrote it",
  },
  {
    code: "root-gap",
    subject: "the roots",
    watches: "the records lack a published root that hosts have to walk over, and this machine has no file of it",
    opens: ["worker/watch-keys.ts"],
    closes: ["worker/watch-keys.ts"],
    urgent: "yes",
    remedy: "`mesh keys root publish` with the root that is missing, from a copy",
  },
  {
    code: "key-watch-failing",
    subject: "keys",
    watches: "the loop that looks at the keys cannot go on",
    opens: ["worker/watch-keys.ts"],
    closes: ["worker/watch-keys.ts"],
    urgent: "no",
    remedy: "see the controller's log",
  },
  {
    code: "certificate-ends-soon",
    subject: "the gateway",
    watches:
      "the gateway's certificate ends within 30 days, or its files are none that hosts take, and the controller cannot make another one; the one in use stays in use meanwhile",
    opens: ["worker/watch-certificate.ts"],
    closes: ["worker/watch-certificate.ts"],
    urgent: "when it is near",
    remedy: "`mesh keys certificate --authority-key FILE` where the gateway is; it is used without a restart",
  },
  {
    code: "authority-ends-soon",
    subject: "the authority, or one before by its end",
    watches:
      "the certificate authority that hosts pin ends within a year, or the one that some of them still pin after it was renewed",
    opens: ["worker/watch-certificate.ts"],
    closes: ["worker/watch-certificate.ts"],
    urgent: "when it is near",
    remedy: "`mesh keys certificate --renew-authority`, then each host that is named enrols again",
  },
  {
    code: "certificate-watch-failing",
    subject: "certificate",
    watches: "the loop that renews the gateway's certificate cannot go on",
    opens: ["worker/watch-certificate.ts"],
    closes: ["worker/watch-certificate.ts"],
    urgent: "yes",
    remedy: "see the controller's log",
  },
];
