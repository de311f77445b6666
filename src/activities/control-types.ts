/** What the control activities take and give: part of workflow histories, so add and never change. */

export type NextStep =
  | {
      readonly kind: "build";
      readonly key: string;
      readonly module: string;
      readonly inputs: string;
      readonly why: string;
    }
  | {
      readonly kind: "push";
      readonly key: string;
      readonly push: string;
      readonly nodes: string[];
      readonly modules: string[];
      readonly why: string;
    };

export interface ComparisonRequest {
  readonly mesh: string;
  /** The wave under way, when sources moved in the middle of it. */
  readonly wave: string | null;
  readonly reasons: readonly string[];
}

export interface StepRequest {
  readonly mesh: string;
  readonly wave: string | null;
  readonly running: readonly string[];
  /** Keys of steps that ended in this round: not taken twice. */
  readonly done: readonly string[];
  /** How many more builds may be under way; left out: all that are ready. */
  readonly room?: number;
}

export interface StepPlan {
  readonly steps: readonly NextStep[];
  readonly summary: string;
  /** Newer commits were held back for who waited for them, and are no more. */
  readonly lookAgain?: boolean;
}

export interface OpenedPush {
  readonly targets: number;
  readonly summary: string;
}

export interface ChangedNodes {
  readonly count: number;
  readonly firstNames: readonly string[];
  readonly summary: string;
}

export interface FailedStep {
  readonly mesh: string;
  readonly key: string;
  readonly message: string;
}
