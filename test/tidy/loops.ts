/** One file of `src` with something that goes on by itself. */
export interface LoopFile {
  /** Below `src`. */
  readonly file: string;
  /** How many of its loops and intervals `findLoops` sees: one more is a new one, and to be thought about here. */
  readonly count: number;
  readonly what: string;
  /** The condition that is open while it does not get on, or why there is none. */
  readonly trouble: { readonly condition: string } | { readonly none: string };
}

const waitsForAPerson =
  "a command in the foreground: it has a bound or ends with Ctrl-C, and its failures are its output";
const hostSays = "a host has no records: it goes on with growing pauses, logs, and is *silent since* in `mesh status`";

/** Every loop there is (R33): none is silent. */
export const loopFiles: readonly LoopFile[] = [
  {
    file: "worker/lease-keeper.ts",
    count: 3,
    what: "waits for the lease; renews it; asks again while the records do not answer",
    trouble: { none: "what does not get on loses the lease, and the process ends with that (R34)" },
  },
  {
    file: "disk/keep-file-work-going.ts",
    count: 1,
    what: "gives Node's threads something to do, so that none sleeps beside work",
    trouble: { none: "it asks for nothing: where it does not get on, nothing does" },
  },
  {
    file: "worker/stand-by.ts",
    count: 1,
    what: "says that this controller waits",
    trouble: {
      none: "it fails where the records do not answer, and then no condition is kept either; its row goes by age",
    },
  },
  {
    file: "worker/keep-looking.ts",
    count: 1,
    what: "looks, backs off, says trouble, for the next ones",
    trouble: { none: "that of whoever calls it: `trouble` has no default, and each call is a row here" },
  },
  {
    file: "worker/watch-sources.ts",
    count: 1,
    what: "asks sources for their tips, wakes the mesh's loop for what is due",
    trouble: { condition: "source-watch-failing" },
  },
  {
    file: "worker/watch-second-builds.ts",
    count: 1,
    what: "builds a second time and compares",
    trouble: { condition: "second-build-watch-failing" },
  },
  {
    file: "worker/watch-temporal.ts",
    count: 1,
    what: "asks Temporal whether it answers",
    trouble: { condition: "temporal-silent" },
  },
  {
    file: "worker/watch-waits.ts",
    count: 1,
    what: "looks which consumer, module or wave waits past its bound",
    trouble: { condition: "wait-watch-failing" },
  },
  {
    file: "worker/watch-accounts.ts",
    count: 1,
    what: "looks whether what hosts reported reads",
    trouble: { condition: "account-watch-failing" },
  },
  {
    file: "worker/watch-disks.ts",
    count: 1,
    what: "looks how much room there is, here and by the reports of hosts",
    trouble: { condition: "disk-watch-failing" },
  },
  {
    file: "worker/watch-strangers.ts",
    count: 1,
    what: "keeps who calls as a host and is not known",
    trouble: { condition: "stranger-watch-failing" },
  },
  {
    file: "worker/watch-drifts.ts",
    count: 1,
    what: "keeps what hosts found changed and put right",
    trouble: { condition: "drift-watch-failing" },
  },
  {
    file: "worker/watch-artifacts.ts",
    count: 1,
    what: "looks whether artifacts that are needed are there",
    trouble: { condition: "artifact-watch-failing" },
  },
  {
    file: "worker/watch-leftovers.ts",
    count: 1,
    what: "removes what builds left behind and nobody needs",
    trouble: { condition: "leftovers-failing" },
  },
  {
    file: "worker/watch-records.ts",
    count: 1,
    what: "prunes records that are old and not needed",
    trouble: { condition: "records-not-pruned" },
  },
  {
    file: "worker/resume-pushes.ts",
    count: 1,
    what: "begins pushes again that Temporal lost",
    trouble: { condition: "push-resume-failing" },
  },
  {
    file: "worker/watch-keys.ts",
    count: 1,
    what: "goes on to newer roots, says which keys end",
    trouble: { condition: "key-watch-failing" },
  },
  {
    file: "worker/watch-certificate.ts",
    count: 1,
    what: "renews the gateway's certificate, uses one that was put there, says which ends",
    trouble: { condition: "certificate-watch-failing" },
  },
  {
    file: "worker/watch-asks.ts",
    count: 1,
    what: "listens for what commands ask, and looks whether it still does",
    trouble: { condition: "asks-not-heard" },
  },
  {
    file: "worker/answer-asks.ts",
    count: 1,
    what: "says to whoever waits for an answer that it is worked on",
    trouble: { none: "one question, with the bound that it has" },
  },
  {
    file: "store/notify.ts",
    count: 2,
    what: "hears of new declarations: connects again, asks a silent connection whether it lives",
    trouble: { condition: "listener-lost" },
  },
  {
    file: "activities/prune-records.ts",
    count: 1,
    what: "one pass over the records, with pauses",
    trouble: { none: "ends with the pass; worker/watch-records.ts is the loop" },
  },
  {
    file: "activities/attend-build.ts",
    count: 2,
    what: "beats and writes the log of one build",
    trouble: { none: "ends with the build; one whose worker is silent becomes *outstanding*, and build-outstanding" },
  },
  {
    file: "activities/heartbeat-every.ts",
    count: 1,
    what: "beats for one activity",
    trouble: { none: "ends with the activity, which Temporal gives to another worker without beats" },
  },
  {
    file: "link/gateway/declaration-route.ts",
    count: 1,
    what: "one host's long poll",
    trouble: { none: "one request, with the bound that the host asked for" },
  },
  {
    file: "build/index-lock.ts",
    count: 1,
    what: "waits for the lock of the artifact store's index",
    trouble: { none: "bounded; then the build is *outstanding*" },
  },
  {
    file: "source/git.ts",
    count: 1,
    what: "measures a clone while git runs",
    trouble: { none: "ends with that process, which has a time limit" },
  },
  {
    file: "embedded/supervisor.ts",
    count: 3,
    what: "starts the parts of `mesh up` again",
    trouble: {
      none: "says each end and each start on the terminal, with growing pauses; without PostgreSQL there are no records",
    },
  },
  {
    file: "embedded/keep-logs-small.ts",
    count: 1,
    what: "cuts the logs of what `mesh up` runs",
    trouble: {
      none: "says on the terminal which log it could not cut and why; a disk that fills has a condition of its own",
    },
  },
  {
    file: "embedded/wait-until.ts",
    count: 1,
    what: "waits for a server to answer at its start",
    trouble: { none: "bounded; then the start fails and says why" },
  },
  {
    file: "embedded/wait-until-ready.ts",
    count: 1,
    what: "waits for PostgreSQL, also while it repairs its data",
    trouble: { none: "bounded, and said each minute; then the start fails and says why" },
  },
  { file: "host/cycle/poll-loop.ts", count: 1, what: "asks for declarations", trouble: { none: hostSays } },
  { file: "host/cycle/outbox.ts", count: 1, what: "sends reports", trouble: { none: hostSays } },
  { file: "host/cycle/walk-loop.ts", count: 1, what: "asks for newer roots", trouble: { none: hostSays } },
  {
    file: "host/cycle/apply-loop.ts",
    count: 1,
    what: "applies and looks again",
    trouble: { none: "what does not get on is in each report: *failed*, *stuck* in `mesh status`" },
  },
  {
    file: "host/host-clock.ts",
    count: 1,
    what: "the host's timers",
    trouble: { none: "the clock that the loops above are given" },
  },
  {
    file: "host/supervisor/supervisor.ts",
    count: 2,
    what: "watches services, turns their logs over",
    trouble: { none: "a service that does not run is *un-ready* in each report" },
  },
  {
    file: "host/supervisor/end-process.ts",
    count: 1,
    what: "waits for a process to end",
    trouble: { none: "bounded; then it is killed" },
  },
  { file: "cli/build-again.ts", count: 1, what: "mesh build --again waits", trouble: { none: waitsForAPerson } },
  { file: "cli/build-now.ts", count: 1, what: "mesh build waits", trouble: { none: waitsForAPerson } },
  { file: "cli/commands/status.ts", count: 1, what: "mesh status --wait", trouble: { none: waitsForAPerson } },
  { file: "cli/status/watch-status.ts", count: 1, what: "mesh status --watch", trouble: { none: waitsForAPerson } },
  { file: "cli/push/follow-push.ts", count: 1, what: "mesh push waits", trouble: { none: waitsForAPerson } },
  {
    file: "cli/up/deliver-languages.ts",
    count: 1,
    what: "mesh up waits for builds",
    trouble: { none: waitsForAPerson },
  },
  {
    file: "cli/up/register-examples.ts",
    count: 1,
    what: "mesh up waits for builds",
    trouble: { none: waitsForAPerson },
  },
  {
    file: "cli/up/wait-until-applied.ts",
    count: 1,
    what: "mesh up waits for hosts",
    trouble: { none: waitsForAPerson },
  },
];
