import type { Order } from "../../core/declaration.ts";
import { refuse, type AddRoute, type RouteCall } from "./add-route.ts";
import type { GatewayContext } from "./gateway-context.ts";
import type { Waiter } from "./waiters.ts";

const queryPattern = /^after=(0|[1-9][0-9]{0,14})\.(0|[1-9][0-9]{0,14})&wait=([0-9]{1,2})$/;

/** `GET /v1/nodes/:node/declaration?after=<epoch>.<number>&wait=<s>`: the newest after what the host has, or 204. */
export function addDeclarationRoute(addRoute: AddRoute, context: GatewayContext): void {
  addRoute("GET /v1/nodes/:node/declaration", 0, async (call) => {
    const asked = readQuery(call.request.url);
    if (asked === null) return refuse(call.reply, { status: 400, reason: "after=<epoch>.<number>&wait=<seconds>" });
    await call.records.recordContact(call.node);
    const mayBeTold = asked.after === null || (await call.records.heedClaim(call.node, asked.after));
    const waiter = context.waiters.enter(call.node);
    if (waiter === null)
      return refuse(call.reply.header("retry-after", "60"), { status: 503, reason: "too many hosts wait" });
    call.reply.raw.once("close", waiter.release);
    const stop = call.records.onDeclaration(call.node, waiter.wake);
    try {
      const waitMs = Math.min(asked.waitMs, context.limits.longestWaitMs);
      const bytes = await waitForNewer(call, mayBeTold ? asked.after : "nothing", waitMs, waiter);
      if (bytes !== null) return await call.reply.type("application/json").send(Buffer.from(bytes));
      return await call.reply.code(204).send();
    } finally {
      stop();
      waiter.leave();
    }
  });
}

/**
 * Subscribed before the first read, read again after every wake and once more at the end: a lost NOTIFY costs a wait. Who
 * may be told nothing waits as long, and is not woken into asking again and again.
 */
async function waitForNewer(
  { node, records }: RouteCall,
  after: Order | null | "nothing",
  waitMs: number,
  waiter: Waiter,
): Promise<Uint8Array | null> {
  const endMs = performance.now() + waitMs;
  for (;;) {
    const bytes = after === "nothing" ? null : await records.newestEnvelope(node, after);
    const leftMs = endMs - performance.now();
    if (bytes !== null || leftMs <= 0 || waiter.isReleased()) return bytes;
    await waiter.sleep(leftMs);
  }
}

/** Exactly as the client writes it: the proof is over these characters. */
function readQuery(url: string): { readonly after: Order | null; readonly waitMs: number } | null {
  const [, epoch, number, seconds] = queryPattern.exec(url.split("?")[1] ?? "") ?? [];
  if (seconds === undefined) return null;
  const after = { epoch: Number(epoch), number: Number(number) };
  return { after: after.epoch === 0 && after.number === 0 ? null : after, waitMs: Number(seconds) * 1000 };
}
