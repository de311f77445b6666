/** The bundler's entry: every workflow type that a worker knows. */
export { build } from "./build.ts";
export { push } from "./push.ts";
export { reconcile } from "./reconcile.ts";
export { round } from "./round.ts";
