import type { Name, ObjectId } from "../core/names.ts";
import { type PlanVersion, readPlanVersion } from "../store/plan-version.ts";
import type { ControlDependencies } from "./control-dependencies.ts";

/** What a comparison is made of, next to the records. */
export interface Compared {
  /** Addresses by name. */
  readonly repositories: ReadonlyMap<Name, string>;
  /** What is read. */
  readonly heads: ReadonlyMap<string, ObjectId | null>;
  /** By `headKey`: why nothing of it can be read. */
  readonly away: ReadonlyMap<string, string>;
  /** Of the records, as they were asked for. */
  readonly version: PlanVersion;
}

export interface Settled {
  /** A comparison of exactly this found nothing to read, to hold or to announce, whatever the time: it would again. */
  readonly isKnown: boolean;
  /** It found nothing this time. Kept only where no record was changed since it was asked. */
  remember(): Promise<void>;
}

const remembered = new WeakMap<ControlDependencies, string>();

/**
 * Where nothing moved, thousands of rows are not read again to find that out: one statement says whether a record was
 * changed by anybody. Kept in this process alone.
 */
export function askSettled(deps: ControlDependencies, compared: Compared): Settled {
  const parts = listParts(deps, compared);
  const asked = JSON.stringify([compared.version, ...parts]);
  return {
    isKnown: remembered.get(deps) === asked,
    remember: async () => {
      const now = await readPlanVersion(deps.db, deps.mesh);
      if (JSON.stringify([now, ...parts]) === asked) remembered.set(deps, asked);
    },
  };
}

function listParts(deps: ControlDependencies, { repositories, heads, away }: Compared): unknown[] {
  return [
    [...repositories].map(([name, url]) => [name, url, deps.settingsFor(name)]),
    [...heads],
    [...away],
    deps.describeToolchains(),
    deps.builders,
  ];
}
