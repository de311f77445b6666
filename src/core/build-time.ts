/** The most that settings may give one step of a build, e.g. its tests. */
export const stepMsLimit = 2_400_000;

/**
 * A build that goes on for longer is given up: more steps than any builder takes, each as long as it may be. So it is a
 * step that is cut off, and the verdict says which limit it hit (case 10); a worker that is gone is known by its silence.
 */
export const buildMsLimit = 8 * stepMsLimit;
