import { runCommand } from "./run-command.ts";

/** What people find workflows by (R49). The types are fixed once made: a new meaning needs a new name. */
export const searchAttributes = {
  MeshName: "Keyword",
  MeshPhase: "Keyword",
  MeshOutcome: "Keyword",
  MeshModules: "KeywordList",
  MeshNodes: "KeywordList",
} as const;

/** The dev server forgets closed workflows after a day: a push of last week should still be looked at. */
const retention = "30d";

/** At every start, for both are made at a namespace's creation only; doing it again changes nothing. */
export async function prepareNamespace(binary: string, address: string, namespace: string): Promise<void> {
  const to = ["--address", address, "--namespace", namespace, "--command-timeout", "20s"];
  const options = { timeoutMs: 30_000, env: readClientEnvironment() };
  await runCommand(binary, ["operator", "namespace", "update", "--retention", retention, ...to], options);
  const attributes = Object.entries(searchAttributes).flatMap(([name, type]) => ["--name", name, "--type", type]);
  await runCommand(binary, ["operator", "search-attribute", "create", ...attributes, ...to], options);
}

/** The user's TEMPORAL_… variables are about another server. */
export function readClientEnvironment(): NodeJS.ProcessEnv {
  const mine = Object.entries(process.env).filter(([name]) => !name.startsWith("TEMPORAL_"));
  return Object.fromEntries(mine);
}
