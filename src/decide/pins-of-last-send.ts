import type { Name } from "../core/names.ts";
import type { Hold, Pins } from "./composition.ts";
import type { World } from "./world.ts";

/**
 * The builds a cascade composes a node at (R21), or why it is held: never told, its last send not recorded with its
 * builds (case 20), or sent to a host that has since been replaced.
 */
export function pinsOfLastSend(
  world: World,
  node: Name,
): { readonly kind: "pins"; readonly pins: Pins } | { readonly kind: "hold"; readonly hold: Hold } {
  const sent = world.sent.get(node);
  if (sent === undefined) return hold(`${node} was never told anything: \`push ${node}\` sends it`);
  if (sent.incarnation !== world.nodes.get(node)?.incarnation) {
    return hold(`the host of ${node} was enrolled again since its last send: \`push ${node}\` sends it`);
  }
  if (sent.builds === null) {
    return hold(`which builds ${node} was last sent is not recorded: \`push ${node}\` sends it the newest`);
  }
  return { kind: "pins", pins: { at: "builds", builds: sent.builds } };
}

function hold(why: string): { readonly kind: "hold"; readonly hold: Hold } {
  return { kind: "hold", hold: { module: null, build: null, why } };
}
