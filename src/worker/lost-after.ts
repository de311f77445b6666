/** A build that nobody reported on for this long is lost: longer than its heartbeats, shorter than a person's patience. */
export const lostAfterMs = 120_000;
