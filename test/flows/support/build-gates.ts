import type { ArtifactStore } from "../../../src/build/artifact-store.ts";

/** Real builds whose last step waits or fails where a test says so, so that time is the test's own. */
export interface BuildGates {
  /** From now on builds of this module wait before their artifact is kept. */
  hold(module: string): void;
  /** Lets them on. */
  release(module: string): void;
  releaseAll(): void;
  /** The next build of this module ends with this error, once. */
  failOnce(module: string, error: Error): void;
  /** Is a failure still to come? */
  isFailing(module: string): boolean;
  /** How often a build of this module came as far as this. */
  arrivals(module: string): number;
  /** The store that the builds are given. */
  around(store: ArtifactStore): ArtifactStore;
}

interface Gate {
  readonly passed: Promise<void>;
  readonly open: () => void;
}

export function createBuildGates(): BuildGates {
  const gates = new Map<string, Gate>();
  const failures = new Map<string, Error>();
  const arrived = new Map<string, number>();
  return {
    hold: (module) => void gates.set(module, createGate()),
    release(module) {
      gates.get(module)?.open();
      gates.delete(module);
    },
    releaseAll() {
      for (const gate of gates.values()) gate.open();
      gates.clear();
    },
    failOnce: (module, error) => void failures.set(module, error),
    isFailing: (module) => failures.has(module),
    arrivals: (module) => arrived.get(module) ?? 0,
    around: (store) => ({
      ...store,
      async putArtifact(artifact, manifest) {
        const { module } = artifact;
        arrived.set(module, (arrived.get(module) ?? 0) + 1);
        await gates.get(module)?.passed;
        const failure = failures.get(module);
        failures.delete(module);
        if (failure !== undefined) throw failure;
        await store.putArtifact(artifact, manifest);
      },
    }),
  };
}

function createGate(): Gate {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
