import type { Order } from "../../core/declaration.ts";
import { keepsOrder } from "../../core/protocol.ts";
import { refuse, type AddRoute, type RouteCall } from "./add-route.ts";
import type { GatewayContext } from "./gateway-context.ts";
import type { Waiter } from "./waiters.ts";

const queryPattern = /^after=(0|[1-9][0-9]{0,14})\.(0|[1-9][0-9]{0,14})&wait=([0-9]{1,2})$/;

const unorderedPattern = /^have=(none|sha256:[0-9a-f]{64})&wait=([0-9]{1,2})$/;

/** `GET /v1/nodes/:node/declaration?after=<epoch>.<number>&wait=<s>`: the newest after what the host has, or 204. */
export function addDeclarationRoute(addRoute: AddRoute, context: GatewayContext): void {
  addRoute("GET /v1/nodes/:node/declaration", 0, async (call) => {
    const asked = keepsOrder(call.protocol) ? readQuery(call) : readUnorderedQuery(call);
    if (typeof asked === "string") return refuse(call.reply, { status: 400, reason: asked });
    await call.records.recordContact(call.node, call.protocol);
    const { claim } = asked;
    const mayBeTold = async (): Promise<boolean> => claim === null || (await call.records.heedClaim(call.node, claim));
    const read = (await mayBeTold()) ? asked.read : readNothing;
    const waiter = context.waiters.enter(call.node);
    if (waiter === null)
      return refuse(call.reply.header("retry-after", "60"), { status: 503, reason: "too many hosts wait" });
    call.reply.raw.once("close", waiter.release);
    const stop = call.records.onDeclaration(call.node, waiter.wake);
    try {
      const waitMs = Math.min(asked.waitMs, context.limits.longestWaitMs);
      const bytes = await waitForNewer({ read, mayBeTold }, waitMs, waiter);
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
 * may be told nothing waits as long, and is not woken into asking again and again. What is found after a wait is given only
 * where the host may still be told: the records may have been restored while it waited (R35).
 */
async function waitForNewer(
  { read, mayBeTold }: { readonly read: Asked["read"]; readonly mayBeTold: () => Promise<boolean> },
  waitMs: number,
  waiter: Waiter,
): Promise<Uint8Array | null> {
  const endMs = performance.now() + waitMs;
  let hasWaited = false;
  for (;;) {
    const bytes = await read();
    if (bytes !== null && hasWaited && !(await mayBeTold())) return null;
    const leftMs = endMs - performance.now();
    if (bytes !== null || leftMs <= 0 || waiter.isReleased()) return bytes;
    await waiter.sleep(leftMs);
    hasWaited = true;
  }
}

async function readNothing(): Promise<null> {
  return null;
}

/** The newest after what the host said it has, or null; and how long it wants to wait for one. */
interface Asked {
  readonly read: () => Promise<Uint8Array | null>;
  /** What it says that it has accepted; null: nothing, or it does not know of an order. */
  readonly claim: Order | null;
  readonly waitMs: number;
}

/** Exactly as the client writes it: the proof is over these characters. A string: what it should be. */
function readQuery({ request, records, node }: RouteCall): Asked | string {
  const [, epoch, number, seconds] = queryPattern.exec(request.url.split("?")[1] ?? "") ?? [];
  if (seconds === undefined) return "after=<epoch>.<number>&wait=<seconds>";
  const after = { epoch: Number(epoch), number: Number(number) };
  const has = after.epoch === 0 && after.number === 0 ? null : after;
  return { read: () => records.newestEnvelope(node, has), claim: has, waitMs: Number(seconds) * 1000 };
}

/** A host that does not speak ordering says which content it has (R37). */
function readUnorderedQuery({ request, records, node }: RouteCall): Asked | string {
  const [, have, seconds] = unorderedPattern.exec(request.url.split("?")[1] ?? "") ?? [];
  if (have === undefined || seconds === undefined) return "have=<digest or none>&wait=<seconds>";
  const read = () => records.newestUnordered(node, have === "none" ? null : have);
  return { read, claim: null, waitMs: Number(seconds) * 1000 };
}
