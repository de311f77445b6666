import type { CommandDefinition } from "../command.ts";
import { parseCount } from "../arguments.ts";
import { judgeLease, readStandbys } from "../controller-state.ts";
import type { ExitCode } from "../../decide/exit-code.ts";
import { type LeaseStand, listPastGrants, readLeaseStand } from "../../store/lease-history.ts";
import { inTransaction } from "../../store/transaction.ts";
import { leaseText } from "../text/lease-text.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
One process acts for a mesh at a time: a controller, or for the length of one push a shell. Ages are by the database's
clock. What stands by takes over when the lease is given back, or was not renewed for its age.

Exit code: 0 somebody holds it and renews it, 1 nobody holds it (nothing moves until a controller starts),
3 cannot tell: its holder has not renewed it for its age.

Examples:
  mesh lease show
  mesh lease show --history 50`;

const defaultGrants = 20;
const mostGrants = 1_000;

export const leaseShowCommand: CommandDefinition = {
  configure: (command) => {
    command
      .option(
        "--history [count]",
        `the newest grants, ${defaultGrants} where no number is given: who, and how each ended`,
      )
      .addHelpText("after", help);
  },
  run: async (call) => {
    const limit = parseHistory(call.options["history"]);
    return await withMesh(call, async ({ db, mesh }) => {
      const read = await inTransaction(db, { isolation: "repeatable read", access: "read only" }, async (tx) => ({
        lease: await readLeaseStand(tx, mesh),
        standbys: await readStandbys(tx, mesh),
        grants: limit === null ? null : await listPastGrants(tx, mesh, limit),
      }));
      const { lease, standbys, grants } = read;
      const document = {
        mesh,
        standing: standingOf(lease),
        holder: lease?.holder ?? null,
        role: lease?.role ?? null,
        epoch: lease?.epoch ?? 0,
        floor: lease?.floor ?? 0,
        since: lease?.takenAt ?? null,
        renewedAt: lease?.renewedAt ?? null,
        renewedMsAgo: lease?.renewedMsAgo ?? null,
        ageMs: lease?.ageMs ?? null,
        standbys,
        ...(grants === null ? {} : { grants }),
      };
      return { code: codes[document.standing], document, text: leaseText({ ...document, grants }, call.context.now()) };
    });
  },
};

type Standing = "held" | "not-renewed" | "free";

const codes: Readonly<Record<Standing, ExitCode>> = { held: 0, "not-renewed": 3, free: 1 };

function standingOf(lease: LeaseStand | null): Standing {
  if (lease === null || lease.holder === null) return "free";
  return judgeLease(lease).runs ? "held" : "not-renewed";
}

/** Null: no history was asked for. */
function parseHistory(option: unknown): number | null {
  if (option === undefined) return null;
  return option === true ? defaultGrants : parseCount("--history", option, { min: 1, max: mostGrants });
}
