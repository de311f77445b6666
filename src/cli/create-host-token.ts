import { readFile } from "node:fs/promises";
import { InputError } from "../core/errors.ts";
import type { Name } from "../core/names.ts";
import { lifeOf } from "../link/certificate-authority.ts";
import {
  formatEnrolmentToken,
  hashEnrolmentSecret,
  newEnrolmentSecret,
  tokenLivesMs,
} from "../link/enrolment-token.ts";
import { createToken } from "../store/enrolment.ts";
import { getNode } from "../store/nodes.ts";
import type { MeshConnection } from "./mesh-connection.ts";

/** A one-time token for a registered node's host. The secret in it is kept nowhere: it is shown once. */
export async function createHostToken(connection: MeshConnection, node: Name): Promise<string> {
  const { db, mesh, setup, paths } = connection;
  if ((await getNode(db, mesh, node)) === null) {
    throw new InputError(`there is no node ${node}`, `register it: mesh node add ${node} --address ADDRESS`);
  }
  const secret = newEnrolmentSecret();
  const ca = await readFile(paths.authority, "utf8");
  const token = formatEnrolmentToken({
    url: gatewayUrl(setup.gateway),
    ca,
    mesh,
    node,
    secret,
  });
  await createToken(db, mesh, {
    node,
    hash: hashEnrolmentSecret(secret),
    livesMs: tokenLivesMs,
    authorityEndsAt: new Date(lifeOf(ca).endsMs).toISOString(),
  });
  return token;
}

export function gatewayUrl(gateway: { readonly host: string; readonly port: number }): string {
  return `https://${gateway.host.includes(":") ? `[${gateway.host}]` : gateway.host}:${gateway.port}`;
}
