import { InputError } from "../core/errors.ts";
import type { z } from "zod";
import { reportSchema, unorderedReportSchema, type Report, type UnorderedReport } from "../core/report.ts";
import { openEnvelope, signEnvelope, type EnvelopeRefusal } from "./envelope.ts";
import { incarnationOf, type SigningKey } from "./keys.ts";
import { defaultLinkLimits, type LinkLimits } from "./limits.ts";
import { parseBody } from "./parse-body.ts";

/** Throws InputError when the result would be more than the gateway accepts. */
export function sealReport(report: Report, key: SigningKey, limits: LinkLimits = defaultLinkLimits): Buffer {
  const bytes = signEnvelope("report", Buffer.from(JSON.stringify(report), "utf8"), [key]);
  if (bytes.byteLength > limits.envelopeBytes)
    throw new InputError(`the report is ${bytes.byteLength} bytes, the gateway accepts ${limits.envelopeBytes}`);
  return bytes;
}

type OpenReport = {
  readonly mesh: string;
  readonly node: string;
  /** The raw public key (base64) the node enrolled with. */
  readonly signKey: string;
  readonly limits?: LinkLimits;
};
type Opened<R> = { readonly ok: true; readonly report: R } | EnvelopeRefusal;

export function openReport(bytes: Uint8Array, options: OpenReport): Opened<Report> {
  return openAs(bytes, options, reportSchema);
}

/** Of a host that does not speak ordering (R37). */
export function openUnorderedReport(bytes: Uint8Array, options: OpenReport): Opened<UnorderedReport> {
  return openAs(bytes, options, unorderedReportSchema);
}

function openAs<R extends UnorderedReport>(bytes: Uint8Array, options: OpenReport, schema: z.ZodType<R>): Opened<R> {
  const { limits = defaultLinkLimits } = options;
  const opened = openEnvelope(bytes, { kind: "report", keys: [options.signKey], limits });
  if (!opened.ok) return opened;
  const parsed = parseBody(opened.body, schema, limits);
  if (!parsed.ok) return parsed;
  const report = parsed.value;
  if (report.mesh !== options.mesh)
    return { ok: false, check: "mesh", message: `the report is for mesh ${report.mesh}` };
  if (report.node !== options.node)
    return { ok: false, check: "node", message: `the report is for node ${report.node}` };
  if (report.incarnation !== incarnationOf(options.signKey))
    return { ok: false, check: "incarnation", message: "the report is of another incarnation of this node" };
  return { ok: true, report };
}
