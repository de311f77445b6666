import type { Condition } from "../core/condition.ts";
import { nothingThere, type Report, type ResourceReport } from "../core/report.ts";

type Seen = Pick<Condition, "code" | "subject" | "message" | "remedy" | "urgent">;

/** So many resources of one report are named. */
const named = 5;

/**
 * What a report says was found otherwise than it had been read back, and is put right (R44). A data folder that was gone is
 * said by itself: the host makes it anew, and what was in it does not come back by that.
 */
export function describeDrifts({ node, resources }: Pick<Report, "node" | "resources">): Seen[] {
  const drifted = resources.filter((one) => one.drift !== undefined);
  const mended = drifted.filter((one) => one.state === "applied");
  return [
    ...(mended.length === 0 ? [] : [sayMended(node, mended)]),
    ...drifted.flatMap((one) => {
      const [kind, module = "", what] = one.id.split("/");
      const isLost = kind === "directory" && what === "data" && one.drift?.found === nothingThere;
      return isLost ? [sayLost(node, module)] : [];
    }),
  ];
}

function sayMended(node: string, mended: readonly ResourceReport[]): Seen {
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

function sayLost(node: string, module: string): Seen {
  return {
    code: "data-lost",
    subject: `${node}/${module}`,
    message: `the data folder of ${module} on ${node} was gone; its host made it anew, and empty`,
    remedy: `put the data of ${module} back on ${node} from your backup, or see that nothing is missed; then mesh conditions clear data-lost ${node}/${module}`,
    urgent: true,
  };
}
