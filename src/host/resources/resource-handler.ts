import type { ResourceReport } from "../../core/report.ts";
import type { Resource } from "../../core/resource.ts";

/** What differs, in words a person can read. Never a secret: digests and versions instead. */
export interface Difference {
  readonly wanted: string;
  readonly found: string;
}

/** What was read back, put into the words of the report. */
export type Conclusion = Pick<ResourceReport, "state" | "message" | "provisions" | "drift">;

/** What became of a resource that is no longer wanted. Data is kept, and said to be (R20). */
export type Removal = { readonly kind: "removed" } | { readonly kind: "kept"; readonly why: string };

/**
 * One resource kind. Plan and apply share one truth: `read` looks, `diff` compares (pure), `apply` changes and
 * returns nothing; then it is read again, and `conclude` (pure) says what that read shows (R43).
 * `W` is what is wanted with everything filled in, `O` what was observed.
 * Throws UnavailableError where something did not answer and asking again may help.
 */
export interface ResourceHandler<R extends Resource, W, O> {
  want(resource: R): Promise<W>;
  read(wanted: W): Promise<O>;
  diff(wanted: W, observed: O): Difference | null;
  apply(wanted: W, observed: O): Promise<void>;
  conclude(wanted: W, observed: O): Conclusion;
  remove(resource: R): Promise<Removal>;
}
