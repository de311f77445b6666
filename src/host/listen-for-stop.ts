/** What signals come from: a process. */
export interface SignalSource {
  on(name: "SIGTERM" | "SIGINT", listener: () => void): unknown;
}

/**
 * SIGTERM and SIGINT stop the host in an orderly way, the same one a second time ends it at once. One of each is one wish:
 * of a Ctrl-C in a terminal `mesh host run` and this process hear both, and that one passes it on as SIGTERM.
 */
export function listenForStop(source: SignalSource, endAtOnce: () => void): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    let isHeard = false;
    source.on(name, () => {
      if (isHeard) endAtOnce();
      isHeard = true;
      controller.abort(new Error(`stopped by ${name}`));
    });
  }
  return controller.signal;
}
