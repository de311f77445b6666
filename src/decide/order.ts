import type { Order } from "../core/declaration.ts";

/** Below zero: `a` is older. Zero: the same declaration. The epoch rules, then the number (R27). */
export function compareOrder(a: Order, b: Order): number {
  return a.epoch === b.epoch ? a.number - b.number : a.epoch - b.epoch;
}

/** `2.51`: epoch 2, number 51. */
export function describeOrder(order: Order): string {
  return `${order.epoch}.${order.number}`;
}
