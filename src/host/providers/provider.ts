import type { ProvisionKind } from "../../core/manifest.ts";
import type { Name } from "../../core/names.ts";

/** How a provider's server is administered, read at each apply: the password is never kept. */
export interface ProviderAccess {
  readonly mesh: Name;
  readonly node: Name;
  readonly module: Name;
  /** PostgreSQL: `host:port`. RabbitMQ: the management API's URL. */
  readonly admin: string;
  readonly adminUser: string;
  readonly adminPassword: string;
  /** Ends what waits for the server: the host stops, or a newer declaration is there. Its reason is thrown. */
  readonly signal: AbortSignal;
}

/** One line of the grant list with its credentials opened. */
export interface WantedGrant {
  readonly provision: string;
  readonly version: number;
  /** Database or vhost, and user. */
  readonly name: string;
  readonly password: string;
}

/** What is there and marked as made by this provider. */
export interface ObservedGrant {
  readonly provision: string;
  readonly version: number;
  readonly name: string;
  /** False: nobody can get in with it any more; its data is still there. */
  readonly access: boolean;
  /** What is not as minted, in words; empty when it is right. */
  readonly problems: readonly string[];
}

/**
 * A provider turns a grant list into real things and reads back what is there. What is marked as ours and not on
 * the list loses its access and keeps its data (R20). Messages of errors hold no password.
 */
export interface Provider {
  readonly kind: ProvisionKind;
  /** Everything marked as ours, and of those on the list whether it is as minted. Throws UnavailableError. */
  readGrants(access: ProviderAccess, wanted: readonly WantedGrant[]): Promise<readonly ObservedGrant[]>;
  /** Makes or mends these. Doing it twice is harmless. */
  issueGrants(access: ProviderAccess, wanted: readonly WantedGrant[]): Promise<void>;
  /** Takes the access away: credentials, then open sessions. Data stays. Doing it twice is harmless. */
  withdrawGrants(access: ProviderAccess, withdrawn: readonly ObservedGrant[]): Promise<void>;
}
