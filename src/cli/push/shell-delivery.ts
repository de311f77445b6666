import { listModules } from "../../store/modules.ts";
import type { PushServer } from "../../worker/serve-pushes.ts";
import type { CliContext } from "../context.ts";
import { readControllerState, readStandbys } from "../controller-state.ts";
import { LostLeaseError } from "../lost-lease-error.ts";
import type { MeshConnection } from "../mesh-connection.ts";

/** A push from a shell ends whether or not a controller runs: this takes the controller's place where nobody acts (R40). */
export interface ShellDelivery {
  /** Looks now and then whether somebody acts. Rejects with what keeps this shell from acting where nobody does. */
  attend(): Promise<void>;
  /** It held the lease, or holds it. */
  hasActed(): boolean;
  /** Rejects when its lease is lost: this process must end, whatever it waits for (R34). Else it never settles. */
  readonly lost: Promise<never>;
  /** Ends what runs and gives the lease back, where it was taken and not lost. */
  stop(): Promise<void>;
  /** Somebody acts, or stands by to: hosts can fetch what they were told. */
  isFollowed(): Promise<boolean>;
}

/** A holder that missed one renewal and a little: time to watch its record, as each newcomer does for a full age. */
const suspectedAfterMs = 7_000;
const lookEveryMs = 1_000;
/** A process whose lease is lost answers and ends; what keeps it from that does not keep its workers alive longer. */
const endsWithinMs = 1_000;

export function createShellDelivery(
  connection: MeshConnection,
  say: (line: string) => void,
  context: Pick<CliContext, "endWithin">,
): ShellDelivery {
  const { db, mesh } = connection;
  let server: PushServer | null = null;
  let acts = false;
  let failure: { readonly error: unknown } | null = null;
  const losing = new AbortController();
  const lost = new Promise<never>((_resolve, reject) =>
    losing.signal.addEventListener("abort", () => reject(losing.signal.reason), { once: true }),
  );
  // absence is the answer: who follows the push races with it; where nobody does any more it must only not be unhandled
  lost.catch(() => undefined);
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  async function start(): Promise<void> {
    const config = await connection.readServeConfig();
    const { servePushes } = await import("../../worker/serve-pushes.ts");
    server = servePushes(config, {
      onActing(epoch) {
        acts = true;
        say(`this shell delivers under epoch ${epoch}; it builds nothing, and hosts are answered by a controller only`);
      },
      onLost(why) {
        const error = new LostLeaseError(
          `the lease of this shell is lost (${why}), so it ends: the push goes on under whoever holds the lease`,
          "mesh status --wait",
        );
        context.endWithin(endsWithinMs, error);
        losing.abort(error);
      },
    });
    server.ended.catch((error: unknown) => {
      failure = { error };
    });
  }

  return {
    lost,
    async attend() {
      losing.signal.throwIfAborted();
      if (failure !== null) throw failure.error;
      if (server !== null || performance.now() - lookedAtMs < lookEveryMs) return;
      lookedAtMs = performance.now();
      const state = await readControllerState(db, mesh);
      if (!state.runs)
        say(`${state.why}; this shell takes the lease as soon as its rules allow, and delivers by itself`);
      if (!state.runs || state.renewedMsAgo > suspectedAfterMs) await start();
    },
    hasActed: () => acts,
    async stop() {
      // Of a lease that is lost nothing is to be ended in order: what it may still do is refused.
      if (!losing.signal.aborted) await Promise.race([server?.stop(), lost]);
    },
    async isFollowed() {
      const state = await readControllerState(db, mesh);
      return (state.runs && state.role === "controller") || (await readStandbys(db, mesh)).length > 0;
    },
  };
}

/** What is behind its source stays so until a controller runs; null: nothing is. */
export async function sayUnbuilt({ db, mesh }: Pick<MeshConnection, "db" | "mesh">): Promise<string | null> {
  const behind = (await listModules(db, mesh))
    .filter((module) => module.standing !== "current")
    .map(({ name }) => name);
  if (behind.length === 0) return null;
  const more = behind.length > 5 ? ` and ${behind.length - 5} more` : "";
  return `not built from this shell, and not at their newest source by the records: ${behind.slice(0, 5).join(", ")}${more}`;
}
