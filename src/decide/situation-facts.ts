import type { Order } from "../core/declaration.ts";
import type { Digest, Name } from "../core/names.ts";
import type { Report } from "../core/report.ts";
import type { Composition } from "./composition.ts";
import type { FollowedBranch } from "./judge-source.ts";
import type { FailureTrack } from "./track-failures.ts";
import type { Reversion } from "./judge-reversion.ts";
import type { Sent } from "./world.ts";

/** What is known about one node, at one moment. All times are ISO in UTC. */
export interface SituationFacts {
  readonly node: Name;
  /** As enrolled now; null: no host yet. */
  readonly incarnation: string | null;
  /** Composed at the newest builds. */
  readonly composition: Composition;
  readonly sent: (Sent & { readonly at: string }) | null;
  readonly account: AccountFacts | null;
  /** Why its account, which is null then, does not read. Left out: it does, or there is none. */
  readonly unreadable?: string;
  /** What the host says that it has and these records never sent (R35). Left out: nothing of the kind. */
  readonly claim?: ClaimFacts | undefined;
  /** When the host that is enrolled now was enrolled. Null and left out: not known. */
  readonly enrolledAt?: string | null;
  /** The last request of any kind of this node's host, or of one before it; null: never. */
  readonly lastContactAt: string | null;
  /** Left out: a controller. */
  readonly listening?: Listening;
  /** False: its host does not speak ordering (R37). Undefined: it does. */
  readonly keepsOrder?: boolean;
  /** What the last push that looked at this node made of it, where it was not sent. */
  readonly lastTold: {
    readonly outcome: "held" | "needs-confirmation";
    readonly why: string;
    readonly at: string;
  } | null;
  /** Since when composition differs from what was sent, where known. */
  readonly changedSince: string | null;
  /** When the records were read. */
  readonly readAt: string;
  /** The branches of the modules on this node; null: nothing is on record of one. Left out: it has none. */
  readonly sources?: readonly (FollowedBranch | null)[];
  readonly now: string;
  readonly limits: SituationLimits;
}

/** Who hears hosts. `since`: when the last controller was last sure of its lease; null: not known, or there was none. */
export type Listening = { readonly by: "controller" } | { readonly by: "nobody"; readonly since: string | null };

export interface AccountFacts {
  readonly incarnation: string;
  readonly has: Order | null;
  readonly digest: Digest | null;
  readonly outcome: Report["outcome"];
  readonly resources: Report["resources"];
  readonly refusals: Report["refusals"];
  readonly unread?: Report["unread"];
  readonly receivedAt: string;
  /** By its host's clock, which dates what it refused. Left out: not known. */
  readonly reportAt?: string;
  /** As in a report. */
  readonly readBack?: Report["readBack"];
  /** When what it read back was so, by the clock of `receivedAt`. Left out: then. */
  readonly readBackAt?: string;
  readonly track: Pick<
    FailureTrack,
    "appliedSince" | "failing" | "failingSince" | "failingCount" | "noSuccessSince" | "noSuccessCount"
  >;
  /** The host went back (case 33): what else is here is of before. `heardAt`: when it last said so. */
  readonly reverted?: (Reversion & { readonly since: string; readonly heardAt: string }) | null;
}

export interface ClaimFacts {
  readonly incarnation: string;
  readonly order: Order;
  readonly kind: "ahead" | "fork";
  readonly since: string;
  readonly heardAt: string;
  /** A person went on without its word. */
  readonly isLeftOut: boolean;
}

export interface SituationLimits {
  /** A host that said nothing for longer is *silent*. */
  readonly silentAfterMs: number;
  /** Rows read longer ago than this are no knowledge any more. */
  readonly recordsStaleAfterMs: number;
  /** Sources not looked at for longer: whether the node is out of date cannot be told. */
  readonly sourcesStaleAfterMs: number;
}
