import { keepsOrder } from "../../core/protocol.ts";
import type { Report, UnorderedReport } from "../../core/report.ts";
import type { EnvelopeRefusal } from "../envelope.ts";
import { defaultLinkLimits } from "../limits.ts";
import { openReport, openUnorderedReport } from "../report-envelope.ts";
import { refuse, type AddRoute } from "./add-route.ts";
import type { GatewayContext } from "./gateway-context.ts";
import type { KeptReport } from "./gateway-records.ts";
import { readBytes } from "./identify.ts";

/** Signed by nobody, or by somebody else: an attempt, not an accident of writing. */
const forgedChecks: readonly string[] = ["signature", "key", "mesh", "node", "incarnation"];

/** `POST /v1/nodes/:node/report`: 204 kept; 409 older or unknown; 403 not this node's; 400 no report at all. */
export function addReportRoute(addRoute: AddRoute, { mesh, limits, log }: GatewayContext): void {
  addRoute("POST /v1/nodes/:node/report", limits.reportBytes, async ({ request, reply, records, node, protocol }) => {
    const bytes = readBytes(request);
    await records.recordContact(node, protocol);
    const options = {
      mesh,
      node,
      signKey: request.signKey,
      limits: { ...defaultLinkLimits, envelopeBytes: limits.reportBytes },
    };
    const opened = keepsOrder(protocol)
      ? openOrdered(bytes, options, (report) => records.keepReport(node, report, bytes))
      : openUnordered(bytes, options, (report) => records.keepUnordered(node, report));
    if (!opened.ok) {
      log.warn({ node, check: opened.check, why: opened.message }, "a report was refused");
      const status = forgedChecks.includes(opened.check) ? 403 : 400;
      return refuse(reply, { status, reason: `${opened.check}: ${opened.message}` });
    }
    const kept = await opened.keep();
    if (kept.outcome === "kept") return reply.code(204).send();
    const reason = `${kept.outcome}: ${kept.why}`;
    return refuse(reply, { status: 409, reason }, kept.outcome === "older" ? { kept: kept.kept } : {});
  });
}

type Opening = Parameters<typeof openReport>[1];
type Opened = { readonly ok: true; readonly keep: () => Promise<KeptReport> } | EnvelopeRefusal;

function openOrdered(bytes: Uint8Array, options: Opening, keep: (report: Report) => Promise<KeptReport>): Opened {
  const opened = openReport(bytes, options);
  return opened.ok ? { ok: true, keep: () => keep(opened.report) } : opened;
}

/** R37. */
function openUnordered(
  bytes: Uint8Array,
  options: Opening,
  keep: (report: UnorderedReport) => Promise<KeptReport>,
): Opened {
  const opened = openUnorderedReport(bytes, options);
  return opened.ok ? { ok: true, keep: () => keep(opened.report) } : opened;
}
