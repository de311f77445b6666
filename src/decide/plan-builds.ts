import type { Closure } from "../core/artifact.ts";
import type { Digest, Name } from "../core/names.ts";
import type { BuildFacts } from "./build-facts.ts";

/** How every module stands: each is in exactly one bucket. All sorted by name. */
export interface BuildPlan {
  /** To be built now, independent of each other (R9). */
  readonly ready: readonly PlannedBuild[];
  /** Under way; an older one too: it runs to its end, and the newest comes next (R16). */
  readonly building: readonly { readonly module: Name; readonly inputs: Digest; readonly why: string }[];
  readonly current: readonly { readonly module: Name; readonly inputs: Digest; readonly artifact: Digest }[];
  /** `for`: the modules at the root of the waiting, by whose verdict it goes on (case 9). */
  readonly waiting: readonly { readonly module: Name; readonly for: readonly Name[]; readonly why: string }[];
  readonly unfit: readonly { readonly module: Name; readonly inputs: Digest; readonly why: string }[];
  readonly outstanding: readonly {
    readonly module: Name;
    readonly inputs: Digest;
    readonly retryAt: string | null;
    readonly why: string;
  }[];
  readonly broken: readonly { readonly module: Name; readonly why: string }[];
}

export interface PlannedBuild {
  readonly module: Name;
  readonly inputs: Digest;
  readonly closure: Closure;
  /** `meshboard is out of date: core moved (9c1e4d2 → 3f2a9c1); meshboard imports core at src/page.ts:3` */
  readonly why: string;
}

/** What is out of date, in what order it is built, and why: from recorded digests, without building (R8–R10, R16). */
export function planBuilds(_facts: BuildFacts): BuildPlan {
  throw new Error("not written yet");
}
