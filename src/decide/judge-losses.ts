/** So few may all be lost at once and still be a loss like any other. */
const fewest = 3;

/**
 * What is to be done about artifacts that are not there. Where nothing at all is there, the store is more likely another
 * one (a disk that is not mounted, a folder that was not copied) than that everything was lost: a person decides.
 */
export function judgeLosses(needed: number, lost: number): "none" | "build-again" | "ask" {
  if (lost === 0) return "none";
  return lost >= fewest && lost === needed ? "ask" : "build-again";
}
