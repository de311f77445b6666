import type { RecordsIdentity } from "../store/writers/database-role.ts";
import type { CommandDefinition } from "./command.ts";

export interface CommandEntry {
  /** As typed: `status`, `module add`. */
  readonly words: string;
  readonly summary: string;
  /**
   * With whose rights it reaches the records (R41): one that only reads is a `viewer`, whatever is wrong in it, and so is
   * another one typed so that it only looks (`only-looks.ts`).
   * `owner`: it makes tables and roles.
   */
  readonly as: RecordsIdentity;
  readonly load: () => Promise<CommandDefinition>;
}

/** Every command, with what `mesh --help` says of it. The code of one is read only when it is the one asked for. */
export const commandTable: readonly CommandEntry[] = [
  {
    words: "up",
    summary: "bring up a whole mesh on this machine (what npm start runs)",
    as: "owner",
    load: async () => (await import("./commands/up.ts")).upCommand,
  },
  {
    words: "serve",
    summary: "run the controller of a mesh in the foreground",
    as: "owner",
    load: async () => (await import("./commands/serve.ts")).serveCommand,
  },
  {
    words: "status",
    summary: "say how every module and node stands, and how old that knowledge is",
    as: "viewer",
    load: async () => (await import("./commands/status.ts")).statusCommand,
  },
  {
    words: "why",
    summary: "say why a module is built or waits, or why a node would be sent something",
    as: "viewer",
    load: async () => (await import("./commands/why.ts")).whyCommand,
  },
  {
    words: "plan",
    summary: "say what a push of a node would send, and to which others it would cascade; changes nothing",
    as: "viewer",
    load: async () => (await import("./commands/plan.ts")).planCommand,
  },
  {
    words: "push",
    summary: "bring the named nodes to what the mesh's records say, and wait until they report it",
    as: "operator",
    load: async () => (await import("./commands/push.ts")).pushCommand,
  },
  {
    words: "declare",
    summary: "send one node what it should be, by hand",
    as: "operator",
    load: async () => (await import("./commands/declare.ts")).declareCommand,
  },
  {
    words: "recover",
    summary: "show what hosts have after records were restored or lost, and go on above it",
    as: "controller",
    load: async () => (await import("./commands/recover.ts")).recoverCommand,
  },
  {
    words: "backup",
    summary: "write the mesh's records into a file, as they are at one moment",
    as: "owner",
    load: async () => (await import("./commands/backup.ts")).backupCommand,
  },
  {
    words: "restore",
    summary: "read the mesh's records in from a backup; the mesh is stopped until somebody recovers it",
    as: "owner",
    load: async () => (await import("./commands/restore.ts")).restoreCommand,
  },
  {
    words: "records prune",
    summary: "show which records of what was are not needed any more, and with --delete remove them",
    as: "controller",
    load: async () => (await import("./commands/records-prune.ts")).recordsPruneCommand,
  },
  {
    words: "build",
    summary: "look at the sources now, and build what is behind",
    as: "operator",
    load: async () => (await import("./commands/build.ts")).buildCommand,
  },
  {
    words: "log",
    summary: "print the log of a module's build",
    as: "viewer",
    load: async () => (await import("./commands/log.ts")).logCommand,
  },
  {
    words: "graph",
    summary: "show what is built against what, by which imports, and in what order",
    as: "viewer",
    load: async () => (await import("./commands/graph.ts")).graphCommand,
  },
  {
    words: "assign",
    summary: "have a module run on a node, with its configuration",
    as: "operator",
    load: async () => (await import("./commands/assign.ts")).assignCommand,
  },
  {
    words: "unassign",
    summary: "have a module no longer run on a node",
    as: "operator",
    load: async () => (await import("./commands/unassign.ts")).unassignCommand,
  },
  {
    words: "module add",
    summary: "register a module: its repository, branch and folder",
    as: "operator",
    load: async () => (await import("./commands/module-add.ts")).moduleAddCommand,
  },
  {
    words: "module list",
    summary: "list the modules",
    as: "viewer",
    load: async () => (await import("./commands/module-list.ts")).moduleListCommand,
  },
  {
    words: "module show",
    summary: "show one module: source, build edges, builds, where it runs",
    as: "viewer",
    load: async () => (await import("./commands/module-show.ts")).moduleShowCommand,
  },
  {
    words: "module remove",
    summary: "take a module's registration back",
    as: "operator",
    load: async () => (await import("./commands/module-remove.ts")).moduleRemoveCommand,
  },
  {
    words: "artifact list",
    summary: "list what was built: digest, size, commit, where it was last sent, whether it is reproducible",
    as: "viewer",
    load: async () => (await import("./commands/artifact-list.ts")).artifactListCommand,
  },
  {
    words: "artifact show",
    summary: "show one artifact: what it was built from, who signed that, its files",
    as: "viewer",
    load: async () => (await import("./commands/artifact-show.ts")).artifactShowCommand,
  },
  {
    words: "artifact verify",
    summary: "read artifacts again and hold them against their records, signatures and closures",
    as: "viewer",
    load: async () => (await import("./commands/artifact-verify.ts")).artifactVerifyCommand,
  },
  {
    words: "artifact gc",
    summary: "show which artifacts nobody needs any more, and with --delete collect them",
    as: "controller",
    load: async () => (await import("./commands/artifact-gc.ts")).artifactGcCommand,
  },
  {
    words: "node add",
    summary: "register a node, and make the one-time token its host enrols with",
    as: "operator",
    load: async () => (await import("./commands/node-add.ts")).nodeAddCommand,
  },
  {
    words: "node remove",
    summary: "take a node out of the mesh, and refuse its host from then on",
    as: "operator",
    load: async () => (await import("./commands/node-remove.ts")).nodeRemoveCommand,
  },
  {
    words: "node list",
    summary: "list the nodes",
    as: "viewer",
    load: async () => (await import("./commands/node-list.ts")).nodeListCommand,
  },
  {
    words: "repo add",
    summary: "register a git repository that modules come from",
    as: "operator",
    load: async () => (await import("./commands/repo-add.ts")).repoAddCommand,
  },
  {
    words: "repo list",
    summary: "list the repositories and how old the knowledge of each is",
    as: "viewer",
    load: async () => (await import("./commands/repo-list.ts")).repoListCommand,
  },
  {
    words: "repo remove",
    summary: "take a repository's registration back",
    as: "operator",
    load: async () => (await import("./commands/repo-remove.ts")).repoRemoveCommand,
  },
  {
    words: "host token",
    summary: "make a one-time token for a node's host to enrol with",
    as: "operator",
    load: async () => (await import("./commands/host-token.ts")).hostTokenCommand,
  },
  {
    words: "host enrol",
    summary: "on a machine: make keys and enrol this host with a token",
    as: "viewer",
    load: async () => (await import("./commands/host-enrol.ts")).hostEnrolCommand,
  },
  {
    words: "host run",
    summary: "on a machine: run the enrolled host in the foreground",
    as: "viewer",
    load: async () => (await import("./commands/host-run.ts")).hostRunCommand,
  },
  {
    words: "host recover",
    summary: "on a machine: say the host's mark, or put it back by a document that root keys signed",
    as: "viewer",
    load: async () => (await import("./commands/host-recover.ts")).hostRecoverCommand,
  },
  {
    words: "host list",
    summary: "list the hosts and when each was last heard",
    as: "viewer",
    load: async () => (await import("./commands/host-list.ts")).hostListCommand,
  },
  {
    words: "conditions",
    summary: "list what is not as it should be, urgent first, and what to do",
    as: "operator",
    load: async () => (await import("./commands/conditions.ts")).conditionsCommand,
  },
  {
    words: "lease show",
    summary: "say who acts for the mesh, who stands by, and who held the lease before",
    as: "viewer",
    load: async () => (await import("./commands/lease-show.ts")).leaseShowCommand,
  },
  {
    words: "database roles",
    summary: "say whether each process has only its own rights in the database, and make it so",
    as: "owner",
    load: async () => (await import("./commands/database-roles.ts")).databaseRolesCommand,
  },
  {
    words: "keys init",
    summary: "make the keys of a new mesh: root keys apart, so many of which must sign together",
    as: "viewer",
    load: async () => (await import("./commands/keys-init.ts")).keysInitCommand,
  },
  {
    words: "keys show",
    summary: "show the root: who may sign what, until when, and which private halves are here",
    as: "viewer",
    load: async () => (await import("./commands/keys-show.ts")).keysShowCommand,
  },
  {
    words: "keys rotate",
    summary: "make a new key and write the root that lists it, to be signed and published",
    as: "viewer",
    load: async () => (await import("./commands/keys-rotate.ts")).keysRotateCommand,
  },
  {
    words: "keys root sign",
    summary: "anywhere: say what a root changes, and sign it with a root key",
    as: "viewer",
    load: async () => (await import("./commands/keys-root-sign.ts")).keysRootSignCommand,
  },
  {
    words: "keys root publish",
    summary: "make a signed root the mesh's: the controller and every host go on to it",
    as: "operator",
    load: async () => (await import("./commands/keys-root-publish.ts")).keysRootPublishCommand,
  },
  {
    words: "keys certificate",
    summary: "where the gateway is: make its certificate anew, by the key of the mesh's certificate authority",
    as: "viewer",
    load: async () => (await import("./commands/keys-certificate.ts")).keysCertificateCommand,
  },
  {
    words: "keys recovery",
    summary: "anywhere: make or sign the document that puts the mark of one host back",
    as: "viewer",
    load: async () => (await import("./commands/keys-recovery.ts")).keysRecoveryCommand,
  },
  {
    words: "completion",
    summary: "print the completion script for bash, zsh or fish",
    as: "viewer",
    load: async () => (await import("./commands/completion.ts")).completionCommand,
  },
];
