import { z } from "zod";
import { InputError, UnavailableError } from "../../core/errors.ts";
import { eachOf } from "./each-of.ts";
import type { ObservedGrant, Provider, ProviderAccess, WantedGrant } from "./provider.ts";
import { isMadeFor, readMarker, writeMarker } from "./provision-marker.ts";
import { askManagement } from "./rabbitmq-management.ts";
import { hashRabbitmqPassword, isRabbitmqHashOf } from "./rabbitmq-password.ts";

const vhostsSchema = z.array(z.object({ name: z.string(), description: z.string().nullish() }));
const userSchema = z.object({
  name: z.string(),
  password_hash: z.string().nullish(),
  /** A list, or on older brokers one text with commas. */
  tags: z.union([z.string(), z.array(z.string())]),
});
const permissionsSchema = z.array(
  z.object({ vhost: z.string(), configure: z.string(), write: z.string(), read: z.string() }),
);
const connectionsSchema = z.array(z.object({ name: z.string(), user: z.string().optional() }));

/** The broker lists a connection some seconds after it was made: so long is one that is gone looked at again. */
const listedWithinMs = 60_000;

/**
 * Vhosts on a RabbitMQ broker: per provision a vhost and a user of the same name. The marker is the vhost's description
 * (a user's tags would give rights on the API). The user has rights on its vhost and nowhere else, and no tag.
 * Withdrawn: the user is gone and its connections are closed; the vhost and its queues stay (R20).
 */
export function createRabbitmqProvider(monotonicMs: () => number = () => performance.now()): Provider {
  /** Vhosts without their user, and since when nobody was seen in them by this process: nobody can get in any more. */
  const emptySince = new Map<string, number>();
  /** Connections that a kill between the two steps of a withdrawal has left open are access as well. */
  const hasAccess = async (access: ProviderAccess, name: string, isUserThere: boolean): Promise<boolean> => {
    const now = monotonicMs();
    const since = isUserThere ? undefined : emptySince.get(name);
    if (since !== undefined && now - since > listedWithinMs) return false;
    if (isUserThere || (await listConnections(access, name)).length > 0) {
      emptySince.delete(name);
      return true;
    }
    emptySince.set(name, since ?? now);
    return false;
  };
  return {
    kind: "rabbitmq",
    async readGrants(access, wanted) {
      const vhosts = await readAll(access, ["vhosts"], vhostsSchema);
      const users = new Map((await readAll(access, ["users"], z.array(userSchema))).map((user) => [user.name, user]));
      const byName = new Map(wanted.map((grant) => [grant.name, grant]));
      const observed: ObservedGrant[] = [];
      for (const vhost of vhosts) {
        const marker = readMarker(vhost.description ?? null, access);
        if (marker === null) continue;
        const user = users.get(vhost.name);
        const grant = byName.get(vhost.name);
        const isWanted = user !== undefined && grant?.provision === marker.provision;
        const problems = isWanted ? await problemsOf(access, user, grant) : [];
        const mayGetIn = await hasAccess(access, vhost.name, user !== undefined);
        observed.push({ ...marker, name: vhost.name, access: mayGetIn, problems });
      }
      return observed;
    },
    async issueGrants(access, wanted) {
      const vhosts = await readAll(access, ["vhosts"], vhostsSchema);
      await eachOf(wanted, access.signal, (grant) => issue(access, grant, vhosts));
    },
    async withdrawGrants(access, withdrawn) {
      await eachOf(withdrawn, access.signal, (grant) => withdraw(access, grant.name));
    },
  };
}

async function problemsOf(
  access: ProviderAccess,
  user: z.infer<typeof userSchema>,
  grant: WantedGrant,
): Promise<readonly string[]> {
  const problems: string[] = [];
  if (!isRabbitmqHashOf(user.password_hash ?? "", grant.password)) problems.push("another password");
  if (user.tags.length > 0) problems.push("its user has a tag");
  const permissions = (await readListOf(access, ["users", grant.name, "permissions"], permissionsSchema)) ?? [];
  const own = permissions.find(({ vhost }) => vhost === grant.name);
  if (own === undefined || [own.configure, own.write, own.read].some((pattern) => pattern !== ".*")) {
    problems.push("it has not all rights on its vhost");
  }
  if (permissions.some(({ vhost }) => vhost !== grant.name)) problems.push("it has rights on another vhost");
  return problems;
}

async function issue(access: ProviderAccess, grant: WantedGrant, vhosts: z.infer<typeof vhostsSchema>): Promise<void> {
  const { name } = grant;
  const existing = vhosts.find((vhost) => vhost.name === name);
  if (existing !== undefined && !isMadeFor(readMarker(existing.description ?? null, access), grant)) {
    throw new InputError(`the vhost ${name} is there and was not made for ${grant.provision}: delete or rename it`);
  }
  await askManagement(access, "PUT", ["vhosts", name], { description: writeMarker(access.mesh, grant) });
  await askManagement(access, "PUT", ["users", name], {
    password_hash: hashRabbitmqPassword(grant.password),
    hashing_algorithm: "rabbit_password_hashing_sha256",
    tags: "",
  });
  for (const { vhost } of (await readListOf(access, ["users", name, "permissions"], permissionsSchema)) ?? []) {
    if (vhost !== name) await askManagement(access, "DELETE", ["permissions", vhost, name]);
  }
  await askManagement(access, "PUT", ["permissions", name, name], { configure: ".*", write: ".*", read: ".*" });
}

/** First nobody gets in any more, then who is in is put out. */
async function withdraw(access: ProviderAccess, name: string): Promise<void> {
  await askManagement(access, "DELETE", ["users", name]);
  for (const connection of await listConnections(access, name))
    await askManagement(access, "DELETE", ["connections", connection]);
}

/** Of the grant's own user, or not known yet of whom. */
async function listConnections(access: ProviderAccess, name: string): Promise<readonly string[]> {
  const all = (await readListOf(access, ["vhosts", name, "connections"], connectionsSchema)) ?? [];
  return all.filter(({ user }) => user === undefined || user === name).map((one) => one.name);
}

/** The list at a path that is always there: an answer that it is not is no empty list. */
async function readAll<S extends z.ZodType>(
  access: ProviderAccess,
  segments: readonly string[],
  schema: S,
): Promise<z.infer<S>> {
  const list = await readListOf(access, segments, schema);
  if (list !== null) return list;
  throw new UnavailableError(
    `there is no RabbitMQ management API at ${access.admin}: /api/${segments.join("/")} is not there`,
  );
}

/** The list that belongs to a user or a vhost; null: that one is gone. */
async function readListOf<S extends z.ZodType>(
  access: ProviderAccess,
  segments: readonly string[],
  schema: S,
): Promise<z.infer<S> | null> {
  const { status, body } = await askManagement(access, "GET", segments);
  if (status === 404) return null;
  const parsed = schema.safeParse(parseAnswer(body, segments));
  if (parsed.success) return parsed.data;
  throw new UnavailableError(`RabbitMQ's answer is no list of ${segments.join("/")}`, "", { cause: parsed.error });
}

function parseAnswer(body: string, segments: readonly string[]): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new UnavailableError(`RabbitMQ's answer about ${segments.join("/")} is not JSON`, "", { cause });
  }
}
