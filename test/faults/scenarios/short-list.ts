/**
 * What `npm test` runs of the scenarios, always these: one of each kind of fault that takes little beside a lease's age, and one
 * in which a lease's age is waited for.
 */
export const shortList: readonly string[] = [
  "postgres-restarts",
  "temporal-restarts",
  "webhook-storm",
  "commit-answer-cut",
  "partition-both",
  "disk-full",
  "kill@host.resource:after",
  "stop@gate:before",
];
