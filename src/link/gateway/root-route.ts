import { refuse, type AddRoute } from "./add-route.ts";
import { readParam } from "./identify.ts";

/** As many digits as a version that is a safe number has. */
const versionPattern = /^[1-9][0-9]{0,14}$/;

/** `GET /v1/roots/:version`: one root document, for a host that walks from the one it has. 404: not there (yet). */
export function addRootRoute(addRoute: AddRoute): void {
  addRoute("GET /v1/roots/:version", 0, async ({ request, reply, records, node, protocol }) => {
    const version = readParam(request, "version");
    if (!versionPattern.test(version)) return refuse(reply, { status: 400, reason: "not a version" });
    await records.recordContact(node, protocol);
    const bytes = await records.rootAt(Number(version));
    if (bytes === null) return refuse(reply, { status: 404, reason: "no such root" });
    return reply.type("application/json").send(Buffer.from(bytes));
  });
}
