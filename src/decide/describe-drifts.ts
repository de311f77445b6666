import type { Condition } from "../core/condition.ts";
import type { Name } from "../core/names.ts";
import { nothingThere, type Report, type ResourceReport } from "../core/report.ts";
import { listNames } from "./short-names.ts";

type Seen = Pick<Condition, "code" | "subject" | "message" | "remedy" | "urgent">;
type Read = Pick<Report, "node" | "resources">;

/** So many resources of one report are named. */
const named = 5;
/** So many modules of one node whose data went have a condition each; the others are said in those. */
const saidApart = 20;

/** What a report says was found otherwise than it had been read back, and is put right (R44). Null: nothing. */
export function describeMended({ node, resources }: Read): Seen | null {
  const mended = resources.filter((one) => one.drift !== undefined && one.state === "applied");
  return mended.length === 0 ? null : sayMended(node, mended);
}

/**
 * Modules whose data folder was gone, as the report has it: what was in it does not come back by the host's making it anew. A
 * host may name what it likes: what it was never sent is nobody's data.
 */
export function listLost({ resources }: Pick<Read, "resources">): Name[] {
  const lost = resources.flatMap(({ id, drift }) => {
    const [kind, module = "", ...what] = id.split("/");
    return kind === "directory" && what.join("/") === "data" && drift?.found === nothingThere ? [module] : [];
  });
  return [...new Set(lost)];
}

/** As conditions, each of which a person ends: one host must not be able to fill a page with them. */
export function describeLost(node: Name, lost: readonly Name[]): Seen[] {
  const others = lost.slice(saidApart);
  const more =
    others.length === 0 ? "" : `; so were those of ${others.length} more modules there: ${listNames(others)}`;
  return lost.slice(0, saidApart).map((module) => sayLost(node, module, more));
}

function sayMended(node: Name, mended: readonly ResourceReport[]): Seen {
  const first = mended
    .slice(0, named)
    .map(({ id, drift }) => `${id}: wanted ${drift?.wanted.slice(0, 150)}, found ${drift?.found.slice(0, 150)}`);
  const more = mended.length > named ? `; and ${mended.length - named} more` : "";
  return {
    code: "drift-mended",
    subject: node,
    message: `what ${node} had was not as declared, and its host put it right: ${first.join("; ")}${more}`,
    remedy: `find out who or what changed it on that machine; mesh why ${node} says how it stands now`,
    urgent: false,
  };
}

function sayLost(node: Name, module: Name, more: string): Seen {
  return {
    code: "data-lost",
    subject: `${node}/${module}`,
    message: `the data folder of ${module} on ${node} was gone; its host made it anew, and empty${more}`,
    remedy: `put the data of ${module} back on ${node} from your backup, or see that nothing is missed; then mesh conditions clear data-lost ${node}/${module}`,
    urgent: true,
  };
}
