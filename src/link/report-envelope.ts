import { InputError } from "../core/errors.ts";
import { reportSchema, type Report } from "../core/report.ts";
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

/** `signKey`: the raw public key (base64) the node enrolled with. */
export function openReport(
  bytes: Uint8Array,
  options: { readonly mesh: string; readonly node: string; readonly signKey: string; readonly limits?: LinkLimits },
): { readonly ok: true; readonly report: Report } | EnvelopeRefusal {
  const { limits = defaultLinkLimits } = options;
  const opened = openEnvelope(bytes, { kind: "report", keys: [options.signKey], limits });
  if (!opened.ok) return opened;
  const parsed = parseBody(opened.body, reportSchema, limits);
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
