import type { AddRoute } from "./add-route.ts";
import type { GatewayContext } from "./gateway-context.ts";
import { readParam } from "./identify.ts";
import { readDeliveryId } from "./webhook-signature.ts";

/**
 * `POST /v1/webhooks/:source`: go and look, nothing more (R7). What the body says is not read: signatures of forges
 * cover no time, so a hook is never state.
 */
export function addWebhookRoute(addRoute: AddRoute, { limits, log, wakes }: GatewayContext): void {
  addRoute("POST /v1/webhooks/:source", limits.webhookBytes, async ({ request, reply, records }) => {
    const source = readParam(request, "source");
    // A look that begins after now is certain already: no need to ask the records about the thousandth.
    if (wakes.isPending(source)) return reply.code(202).send({ ok: true });
    const delivery = readDeliveryId(request.headers);
    const fresh = delivery === null || (await isFresh(records, source, delivery));
    if (fresh) records.wake(source);
    return reply.code(202).send({ ok: true });
  });

  /** Records that do not answer: the delivery counts as fresh. One look too many harms nobody, one too few waits. */
  async function isFresh(
    records: { recordWebhookDelivery(source: string, delivery: string): Promise<boolean> },
    source: string,
    delivery: string,
  ): Promise<boolean> {
    try {
      return await records.recordWebhookDelivery(source, delivery);
    } catch (error) {
      log.warn({ source, err: error }, "a webhook delivery could not be recorded; the source is looked at anyway");
      return true;
    }
  }
}
