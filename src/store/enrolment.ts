import { z } from "zod";
import type { Name } from "../core/names.ts";
import { orderedProtocol } from "../core/protocol.ts";
import { hostKeysSchema, type HostKeys } from "../core/node.ts";
import { timeColumn } from "./columns.ts";
import type { Database, Queryable, Transaction } from "./database.ts";
import { maybeOne, run } from "./rows.ts";
import { inTransaction } from "./transaction.ts";

/** A SHA-256: the secret itself is shown once and kept nowhere. */
const hashSchema = z.string().regex(/^(sha256:)?([0-9a-f]{64}|[A-Za-z0-9_-]{43})$/, "not a SHA-256");

export interface NewToken {
  readonly node: Name;
  readonly hash: string;
  readonly livesMs: number;
  /** ISO: of the certificate authority in it, which its host will pin. Left out: not known. */
  readonly authorityEndsAt?: string;
}

export interface TokenUse {
  readonly node: Name;
  readonly hash: string;
  readonly keys: HostKeys;
  readonly incarnation: string;
  /** What the host speaks; left out: order (R37). */
  readonly protocol?: number;
}

/**
 * `enrolled`: the keys are the node's now. `repeated`: this token was used by these very keys before, and they are
 * still the node's: the first answer may have been lost. `other-seal`: it signs as the node's host, and wants credentials sealed
 * to another key: as the same host it would be given none anew. All but the first change nothing.
 */
export type TokenResult = "enrolled" | "repeated" | "used" | "expired" | "unknown" | "other-seal";

/** A token for a registered node. Rejects where there is no such node. */
export async function createToken(db: Queryable, mesh: Name, token: NewToken): Promise<void> {
  await run(
    db,
    `insert into enrolment_token (hash, mesh, node, expires_at, authority_ends_at)
     values ($1, $2, $3, now() + $4::float8 * interval '1 millisecond', $5)`,
    [hashSchema.parse(token.hash), mesh, token.node, token.livesMs, token.authorityEndsAt ?? null],
  );
}

/** Uses a token up and sets the host's keys, in one transaction. Of any number at once, one gets `enrolled`. */
export function useToken(db: Database, mesh: Name, use: TokenUse): Promise<TokenResult> {
  const keys = hostKeysSchema.parse(use.keys);
  return inTransaction(db, { isolation: "read committed" }, async (tx) => {
    if (await hasOtherSeal(tx, mesh, { ...use, keys })) return "other-seal";
    const token = await consumeToken(tx, mesh, use);
    if (token === null) return explainRefusal(tx, mesh, { ...use, keys });
    await setKeys(tx, mesh, { ...use, keys, ...token });
    return "enrolled";
  });
}

async function hasOtherSeal(tx: Transaction, mesh: Name, use: TokenUse): Promise<boolean> {
  const found = await maybeOne(
    tx,
    z.object({ name: z.string() }),
    `select name from node where mesh = $1 and name = $2 and sign_key = $3 and seal_key <> $4`,
    [mesh, use.node, use.keys.sign, use.keys.seal],
  );
  return found !== null;
}

const usedTokenSchema = z.object({ authorityEndsAt: timeColumn.nullable() });
type UsedToken = z.output<typeof usedTokenSchema>;

/** Null: it is not there, or good for nothing. */
async function consumeToken(tx: Transaction, mesh: Name, use: TokenUse): Promise<UsedToken | null> {
  return await maybeOne(
    tx,
    usedTokenSchema,
    `update enrolment_token set used_at = now()
      where hash = $1 and mesh = $2 and node = $3 and used_at is null and expires_at > now()
      returning authority_ends_at as "authorityEndsAt"`,
    [hashSchema.parse(use.hash), mesh, use.node],
  );
}

async function setKeys(tx: Transaction, mesh: Name, use: TokenUse & UsedToken): Promise<void> {
  await run(
    tx,
    `update node set incarnation = $3, sign_key = $4, seal_key = $5, protocol = $6, enrolled_at = now(), authority_ends_at = $7
      where mesh = $1 and name = $2`,
    [
      mesh,
      use.node,
      use.incarnation,
      use.keys.sign,
      use.keys.seal,
      use.protocol ?? orderedProtocol,
      use.authorityEndsAt,
    ],
  );
}

async function explainRefusal(tx: Transaction, mesh: Name, use: TokenUse): Promise<TokenResult> {
  const token = await maybeOne(
    tx,
    z.object({ used: z.boolean(), same: z.boolean() }),
    `select t.used_at is not null as used,
            coalesce((n.incarnation, n.sign_key, n.seal_key) = ($4, $5, $6), false) as same
       from enrolment_token t join node n on n.mesh = t.mesh and n.name = t.node
      where t.hash = $1 and t.mesh = $2 and t.node = $3`,
    [use.hash, mesh, use.node, use.incarnation, use.keys.sign, use.keys.seal],
  );
  if (token === null) return "unknown";
  if (!token.used) return "expired";
  return token.same ? "repeated" : "used";
}
