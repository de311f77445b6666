import { defaultLinkLimits } from "../limits.ts";
import { openReport } from "../report-envelope.ts";
import { refuse, type AddRoute } from "./add-route.ts";
import type { GatewayContext } from "./gateway-context.ts";
import { readBytes } from "./identify.ts";

/** Signed by nobody, or by somebody else: an attempt, not an accident of writing. */
const forgedChecks: readonly string[] = ["signature", "key", "mesh", "node", "incarnation"];

/** `POST /v1/nodes/:node/report`: 204 kept; 409 older or unknown; 403 not this node's; 400 no report at all. */
export function addReportRoute(addRoute: AddRoute, { mesh, limits, log }: GatewayContext): void {
  addRoute("POST /v1/nodes/:node/report", limits.reportBytes, async ({ request, reply, records, node }) => {
    const bytes = readBytes(request);
    await records.recordContact(node);
    const opened = openReport(bytes, {
      mesh,
      node,
      signKey: request.signKey,
      limits: { ...defaultLinkLimits, envelopeBytes: limits.reportBytes },
    });
    if (!opened.ok) {
      log.warn({ node, check: opened.check, why: opened.message }, "a report was refused");
      const status = forgedChecks.includes(opened.check) ? 403 : 400;
      return refuse(reply, { status, reason: `${opened.check}: ${opened.message}` });
    }
    const kept = await records.keepReport(node, opened.report, bytes);
    if (kept.outcome === "kept") return reply.code(204).send();
    return refuse(reply, { status: 409, reason: `${kept.outcome}: ${kept.why}` });
  });
}
