import { plainLine } from "../text/plain.ts";
import { type PushDocument, reasonOf } from "../text/push-text.ts";
import { sayEffect } from "../text/say-effect.ts";

/** A reason ends with the command that helps, which a person types as it stands. */
const reasonLimit = 1000;

interface Example {
  readonly module: string;
  readonly url: string;
}

/** What became of the examples that this push was to bring to `node`: nothing runs that the node was not told of. */
export function sayLanguages(
  push: PushDocument,
  { node, examples, state }: { readonly node: string; readonly examples: readonly Example[]; readonly state: string },
): readonly string[] {
  const at = push.nodes.find((one) => one.node === node);
  const effect = at?.effect ?? "not-sent";
  if (effect === "applied" || (effect === "superseded" && at?.pending !== true))
    return examples.map(({ module, url }) => `${module} is on ${url}`);
  const modules = examples.map(({ module }) => module).join(", ");
  const helps = `\`npx mesh why ${node}${state}\` says more`;
  const reasons = [push.message, at === undefined ? "" : reasonOf(at), at?.says ?? ""].filter((words) => words !== "");
  const why = plainLine(reasons.join("; "), reasonLimit);
  const because = why === "" ? "" : `: ${why}`;
  if (at === undefined || effect === "not-sent") {
    const told = (at?.outcome ?? push.outcome).replaceAll("-", " ");
    return [
      `not running: ${modules}, as ${node} was not told of them (${told})${because}`,
      `when that is mended: \`npx mesh push ${node}${state}\`; ${helps}`,
    ];
  }
  return [`not seen to run: ${modules}, as ${node} is ${sayEffect(effect)}${because}`, helps];
}
