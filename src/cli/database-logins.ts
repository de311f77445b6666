import { rm } from "node:fs/promises";
import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { readPrivateFileIfThere, writePrivateFile } from "../disk/private-file.ts";
import type { Database, Queryable } from "../store/database.ts";
import {
  keepLogins,
  listMissingLogins,
  type LoginTrouble,
  tryLogins,
  writeLoginsScript,
} from "../store/writers/keep-logins.ts";
import {
  addressAsLogin,
  type Login,
  type LoginRole,
  loginRoles,
  loginSchema,
  makeLogins,
} from "../store/writers/login.ts";
import type { DatabaseLogins } from "../worker/serve-config.ts";
import type { MeshPaths } from "./mesh-setup.ts";

type LoginPaths = Pick<MeshPaths, "databaseLogins" | "loginAddresses">;

/**
 * Makes the controller's own logins where the owner may, or takes those that an administrator made, and keeps their
 * addresses once each of them was let in. Otherwise no address is kept: the controller then logs in as the owner.
 */
export async function keepDatabaseLogins(owner: Database, ownerUrl: string, paths: LoginPaths): Promise<LoginTrouble> {
  const logins = await readOrMakeLogins(paths);
  const addressOf = (login: Login): string => addressAsLogin(ownerUrl, login);
  if ((await tryLogins(logins, addressOf)) !== null) {
    const trouble = (await keepLogins(owner, logins)) ?? (await tryLogins(logins, addressOf));
    if (trouble !== null) {
      for (const role of loginRoles) await rm(paths.loginAddresses[role], { force: true });
      return trouble;
    }
  }
  for (const login of logins) await writePrivateFile(paths.loginAddresses[login.role], `${addressOf(login)}\n`);
  return null;
}

/** For an administrator: those of this mesh's logins that the server does not have. */
export async function writeMissingLogins(db: Queryable, paths: LoginPaths): Promise<string> {
  return writeLoginsScript(await findMissingLogins(db, paths));
}

/** Those of this mesh's logins that the server does not have. Makes and keeps their names, where there are none. */
export async function findMissingLogins(db: Queryable, paths: LoginPaths): Promise<Login[]> {
  const logins = await readOrMakeLogins(paths);
  const missing = await listMissingLogins(db, logins);
  return logins.filter(({ name }) => missing.has(name));
}

/** Kept before they are made: what an administrator makes by `--sql` are these. */
async function readOrMakeLogins({ databaseLogins: file }: LoginPaths): Promise<Login[]> {
  const text = await readPrivateFileIfThere(file);
  if (text === null) {
    const logins = makeLogins();
    await writePrivateFile(file, `${JSON.stringify(logins, null, 2)}\n`);
    return logins;
  }
  const parsed = z.array(loginSchema).length(loginRoles.length).safeParse(parseWithoutCause(text));
  const roles = new Set(parsed.data?.map(({ role }) => role));
  if (!parsed.success || roles.size < loginRoles.length)
    throw new InputError(`${file} is not as it was written`, "remove it: mesh database roles --apply makes new logins");
  return parsed.data;
}

function parseWithoutCause(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // absence is the answer: it would quote the text, which holds secrets; the caller says that it is not as it was
    return null;
  }
}

/** The addresses that a controller logs in by; null: this state folder has none, and it goes in as the owner. */
export async function readLoginAddresses({ loginAddresses }: LoginPaths): Promise<DatabaseLogins | null> {
  const read = async (role: LoginRole): Promise<string | null> =>
    (await readPrivateFileIfThere(loginAddresses[role]))?.trim() ?? null;
  const [controller, gateway, builder] = [await read("controller"), await read("gateway"), await read("builder")];
  if (controller === null && gateway === null && builder === null) return null;
  if (controller !== null && gateway !== null && builder !== null) return { controller, gateway, builder };
  const missing = [controller, gateway, builder].indexOf(null);
  throw new InputError(
    `a controller has three logins, and ${loginAddresses[loginRoles[missing] ?? "controller"]} is not there`,
    "mesh database roles --apply, or remove the other two",
  );
}
