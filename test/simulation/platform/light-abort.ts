/**
 * AbortController and AbortSignal for the simulator's bundle: what the product's code uses of them and nothing else.
 * Node's own keep weak references and registries for each signal, which a run makes by the thousand.
 */
class LightAbortSignal {
  aborted = false;
  reason: unknown = undefined;
  #listeners: (() => void)[] = [];

  static any(signals: readonly LightAbortSignal[]): LightAbortSignal {
    const any = new LightAbortSignal();
    const done = signals.find((signal) => signal.aborted);
    if (done !== undefined) any.fire(done.reason);
    else for (const signal of signals) signal.#listeners.push(() => any.fire(signal.reason));
    return any;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at !== -1) this.#listeners.splice(at, 1);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  fire(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

class LightAbortController {
  readonly signal = new LightAbortSignal();

  abort(reason: unknown = new Error("aborted")): void {
    this.signal.fire(reason);
  }
}

export { LightAbortController as AbortController, LightAbortSignal as AbortSignal };
