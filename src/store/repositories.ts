import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { nameSchema, type Name } from "../core/names.ts";
import { timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many, maybeOne, run } from "./rows.ts";

const repositoryRecordSchema = z.object({ name: nameSchema, url: z.string(), registeredAt: timeColumn });
export type RepositoryRecord = z.output<typeof repositoryRecordSchema>;

const columns = `name, url, registered_at as "registeredAt"`;

/** Registers a repository; the same again changes nothing. Another URL under a known name is refused. */
export async function addRepository(db: Queryable, mesh: Name, repository: { name: Name; url: string }): Promise<void> {
  // The condition on the update makes a different URL change no row.
  const changed = await run(
    db,
    `insert into repository (mesh, name, url) values ($1, $2, $3)
     on conflict (mesh, name) do update set url = excluded.url where repository.url = excluded.url`,
    [mesh, nameSchema.parse(repository.name), repository.url],
  );
  if (changed === 0)
    throw new InputError(
      `repository ${repository.name} is registered with another URL`,
      "if it moved: mesh repo add NAME URL --moved",
    );
}

/** Another address under a known name: the last good tips stay until it was looked at there. False: no such name. */
export async function moveRepository(
  db: Queryable,
  mesh: Name,
  repository: { name: Name; url: string },
): Promise<boolean> {
  const changed = await run(db, `update repository set url = $3 where mesh = $1 and name = $2`, [
    mesh,
    nameSchema.parse(repository.name),
    repository.url,
  ]);
  return changed === 1;
}

export function getRepository(db: Queryable, mesh: Name, name: Name): Promise<RepositoryRecord | null> {
  return maybeOne(db, repositoryRecordSchema, `select ${columns} from repository where mesh = $1 and name = $2`, [
    mesh,
    name,
  ]);
}

export function listRepositories(db: Queryable, mesh: Name): Promise<RepositoryRecord[]> {
  return many(db, repositoryRecordSchema, `select ${columns} from repository where mesh = $1 order by name`, [mesh]);
}
