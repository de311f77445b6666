import { z } from "zod";
import { nameSchema } from "../../core/names.ts";
import { hostKeysSchema } from "../../core/node.ts";
import { enrolmentSecretSchema } from "../enrolment-token.ts";
import { incarnationOf } from "../keys.ts";
import { parseSignedJson } from "../parse-signed-json.ts";
import { whyBadPublicKey } from "../public-key.ts";
import { whyBadRecipient } from "../sealing.ts";
import { refuse, type AddRoute } from "./add-route.ts";
import type { GatewayContext } from "./gateway-context.ts";
import { readBytes } from "./identify.ts";

const enrolSchema = z.strictObject({ token: enrolmentSecretSchema, node: nameSchema, keys: hostKeysSchema });

/** `POST /v1/enrol`: a host shows a one-time token and its public keys, and gets the mesh's root to pin. */
export function addEnrolRoute(addRoute: AddRoute, { mesh, limits, log }: GatewayContext): void {
  addRoute("POST /v1/enrol", limits.enrolBytes, async ({ request, reply, records, protocol }) => {
    const json = parseSignedJson(readBytes(request), { bytes: limits.enrolBytes, depth: 3 });
    const parsed = json.ok ? enrolSchema.safeParse(json.value) : null;
    if (!parsed?.success) return refuse(reply, { status: 400, reason: "not an enrolment" });
    const { token, node, keys } = parsed.data;
    const why = whyBadPublicKey(keys.sign) ?? (await whyBadRecipient(keys.seal));
    if (why !== null) return refuse(reply, { status: 400, reason: why });
    const outcome = await records.enrolHost({ secret: token, node, keys, protocol });
    if (!outcome.ok) {
      log.warn({ node, why: outcome.why, address: request.ip }, "an enrolment was refused");
      return refuse(reply, { status: 401, reason: outcome.why });
    }
    log.info({ node, incarnation: incarnationOf(keys.sign) }, "a host enrolled");
    const root = Buffer.from(outcome.root).toString("base64");
    return reply.code(200).send({ mesh, node, incarnation: outcome.incarnation, root });
  });
}
