const groupSummaries: Readonly<Record<string, string>> = {
  module: "register and look at modules",
  artifact: "look at what was built, verify it, collect what nobody needs",
  node: "register and look at nodes",
  repo: "register and look at repositories",
  host: "enrol, run, look at and recover hosts",
  keys: "make, look at and replace the mesh's keys",
  "keys root": "sign and publish root documents",
  lease: "look at the lease of the controllers",
  records: "look at and remove old records",
  database: "look after the records' database",
};

/** What `mesh --help` says of a group of commands; empty for one without words of its own. */
export function groupSummary(group: string): string {
  return groupSummaries[group] ?? "";
}
