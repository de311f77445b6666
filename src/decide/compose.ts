import type { Name } from "../core/names.ts";
import type { Composition, Pins } from "./composition.ts";
import type { World } from "./world.ts";

/** What one node should be, and which provisions that mints and withdraws (R17, R29). Reads nothing but the world. */
export function compose(_world: World, _node: Name, _pins: Pins): Composition {
  throw new Error("not written yet");
}
