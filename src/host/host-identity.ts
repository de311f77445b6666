import type { Name } from "../core/names.ts";
import type { SigningKey } from "../link/keys.ts";
import type { Root } from "../link/root.ts";

/** Who this host is, and whom it believes. Made at enrolment, read at every start. */
export interface HostIdentity {
  readonly mesh: Name;
  readonly node: Name;
  readonly incarnation: string;
  /** https://host:port of the controller, and the only authority that is believed for it. */
  readonly url: string;
  readonly caPem: string;
  readonly signKey: SigningKey;
  /** Secret: AGE-SECRET-KEY-1… */
  readonly sealIdentity: string;
  readonly root: Root;
}
