/**
 * How far epoch and number of one declaration may be above what a host has (R35): a bug, or whoever stole the declaration
 * key, cannot push a host's mark to the end of the number space with one document, where nothing would be above it.
 *
 * Epochs rise with each take-over: a controller that crashes every minute takes two years for a million. Numbers rise with
 * each declaration in the mesh: at a thousand a second, which is more than the gate lets through, ten thousand million
 * take four months. A host that was off for longer, in a mesh that did that, enrols again.
 * A recovery goes above what hosts have by half of this at most, so that every host takes what comes after it.
 */
export const jumpLimits = {
  epochs: 1_000_000,
  numbers: 10_000_000_000,
  /** Of either, also for a host that has accepted nothing: half of the safe integers are left above it. */
  ceiling: 2 ** 52,
} as const;
