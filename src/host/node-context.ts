import type { Declaration, Secret } from "../core/declaration.ts";
import type { Controller } from "./controller.ts";
import type { HostFolders } from "./folders.ts";
import type { Log } from "./log.ts";
import type { ReadAdminPassword } from "./resources/read-admin-password.ts";
import type { Owner, ServiceUser } from "./service-user.ts";
import type { Supervisor } from "./supervisor/supervisor.ts";

/** What every resource of this node is applied with. */
export interface NodeContext {
  readonly folders: HostFolders;
  readonly host: Owner;
  readonly service: ServiceUser;
  readonly supervisor: Supervisor;
  readonly controller: Pick<Controller, "downloadBlob">;
  readonly log: Log;
  /** Unix time in milliseconds. */
  readonly nowMs: () => number;
  /** Ends downloads and waits when the host stops or a newer declaration is there. */
  readonly signal: AbortSignal;
  readonly declaration: Declaration;
  /** Opens the box sealed to this node for a provision. Throws InputError where there is none or it does not open. */
  readonly openSecret: (provision: string, version: number) => Promise<Secret>;
  readonly readAdminPassword: ReadAdminPassword;
}
