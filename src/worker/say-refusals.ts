import type { ActivityInterceptorsFactory } from "@temporalio/worker";
import { ApplicationFailure } from "@temporalio/common";
import type { Logger } from "pino";
import { RecordsRefusedError } from "../core/errors.ts";
import type { Name } from "../core/names.ts";
import type { Database } from "../store/database.ts";
import { type LoopTrouble, watchTrouble } from "./note-trouble.ts";

export interface SayRefusals {
  readonly db: Database;
  readonly mesh: Name;
  readonly log: Logger;
  /** Whose rights `db` has: a role, or the user of the database's address. */
  readonly who: string;
  /** The next attempt of what was refused. Left out: a minute. */
  readonly retryMs?: number;
}

const retryMs = 60_000;

export const refusalRemedy =
  "mesh database roles --apply, or mesh up again, brings tables and rights to this version; where the owner may not, " +
  "mesh database roles --sql says what an administrator runs. What waits goes on by itself";

/**
 * An activity that the records refuse is tried again only now and then, and an urgent condition says who lacks what (R33, R41):
 * a person changes the database, and what waits goes on by itself. Closed when that activity comes through again.
 */
export function sayRefusals(options: SayRefusals): ActivityInterceptorsFactory {
  const troubles = new Map<string, LoopTrouble>();
  const troubleOf = (activity: string): LoopTrouble => {
    const known = troubles.get(activity);
    if (known !== undefined) return known;
    const made = watchTrouble(options, {
      code: "records-refuse",
      subject: activity,
      what: `the records refuse ${activity} to ${options.who}`,
      remedy: refusalRemedy,
      urgent: true,
    });
    troubles.set(activity, made);
    return made;
  };
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const trouble = troubleOf(info.activityType);
        try {
          const result = await next(input);
          await trouble.fine();
          return result;
        } catch (error) {
          if (!(error instanceof RecordsRefusedError)) throw error;
          options.log.error({ err: error, activity: info.activityType }, "the records refuse an activity");
          await trouble.failed(error);
          throw ApplicationFailure.create({
            message: error.message,
            type: error.name,
            nextRetryDelay: options.retryMs ?? retryMs,
            cause: error,
          });
        }
      },
    },
  });
}
