import { atStep } from "../core/failpoints.ts";
import { openDatabase } from "../store/database.ts";
import { expectMigrated } from "../store/migrate.ts";
import { readLease, releaseLease, renewLease, takeLease } from "../store/lease.ts";
import type { LeaseRole } from "../store/lease-history.ts";
import { leaseAgeMs } from "../decide/lease.ts";
import type { LeaseStore } from "./lease-keeper.ts";
import type { DatabaseRole } from "../store/writers/database-role.ts";
import { databaseAddress, type ServeConfig } from "./serve-config.ts";

/** On connections of its own: load on the records must not lose the lease. */
export function openLeaseStore(
  config: Pick<ServeConfig, "mesh" | "holder" | "databaseUrl" | "databaseLogins"> & { readonly leaseRole?: LeaseRole },
  role?: DatabaseRole,
): {
  readonly store: LeaseStore;
  end(): Promise<void>;
} {
  const { mesh, holder, leaseRole = "controller" } = config;
  const db = openDatabase({
    url: databaseAddress(config, "controller"),
    role,
    maxConnections: 2,
    applicationName: "mesh-lease",
    statementTimeoutMs: 4_000,
  });
  const store: LeaseStore = {
    read: () => readLease(db, mesh),
    async take(seen) {
      // Who waited for days may be of before the tables that a newer program made meanwhile: it ends, and says what to do.
      await expectMigrated(db);
      const request = { mesh, holder, ageMs: leaseAgeMs, seen, role: leaseRole, lockTimeoutMs: 3_000 };
      return await atStep("lease.take", () => takeLease(db, request));
    },
    renew: (epoch, beats) => atStep("lease.renew", () => renewLease(db, { mesh, holder, epoch, beats })),
    release: (epoch) => atStep("lease.release", () => releaseLease(db, { mesh, holder, epoch })),
  };
  return { store, end: () => db.end() };
}
