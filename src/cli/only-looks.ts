import type { RecordsIdentity } from "../store/writers/database-role.ts";
import type { CommandCall } from "./command.ts";
import type { CommandEntry } from "./command-table.ts";

type Typed = Pick<CommandCall, "args" | "options">;

/**
 * Of commands that write: when one, as it was typed, only reads. Not among them: `records prune`, which counts sealed boxes, and `artifact gc`, which
 * goes through the controller's own store.
 */
export const onlyLooks: Readonly<Record<string, (typed: Typed) => boolean>> = {
  conditions: ({ args }) => args[0] !== "clear",
  build: ({ options }) => options["dryRun"] === true,
  recover: ({ options }) => options["yes"] !== true,
};

/** With whose rights a command reaches the records, as it was typed: what only looks is open to who may only look (R41). */
export function rightsOf(entry: Pick<CommandEntry, "words" | "as">, typed: Typed): RecordsIdentity {
  return onlyLooks[entry.words]?.(typed) === true ? "viewer" : entry.as;
}
