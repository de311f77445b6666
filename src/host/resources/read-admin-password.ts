import { constants, type Stats } from "node:fs";
import { open, realpath } from "node:fs/promises";
import path from "node:path";
import { hasErrorCode, InputError, UnavailableError } from "../../core/errors.ts";
import type { Name } from "../../core/names.ts";
import { dataPath, settingsPath, type HostFolders } from "../folders.ts";
import type { Log } from "../log.ts";
import type { ServiceUser } from "../service-user.ts";
import { resolveInRoot } from "./path-in-root.ts";

const bytesLimit = 4096;

/** Throws UnavailableError while the file is not there (the server makes it at its first start), InputError where it is refused. */
export type ReadAdminPassword = (module: Name, file: string) => Promise<string>;

export interface AdminPasswordOptions {
  readonly folders: Pick<HostFolders, "dir" | "root">;
  readonly service: ServiceUser;
  /** Absolute paths: what this machine's owner named as he started the host. */
  readonly named: readonly string[];
  readonly log: Log;
}

/**
 * The administrator's password of a provider's server. What a module's manifest names is sent to a server that the same
 * manifest names: a host that is root must not be made to read for it what the module could not read itself. So it is a
 * file of the module's own part of the root, or one that the owner of this machine has named. Its content is never kept.
 */
export function createAdminPasswordReader(options: AdminPasswordOptions): ReadAdminPassword {
  const said = new Set<string>();
  return async (module, file) => {
    try {
      const { flags, checked, mayRead } = await findFile(options, module, file);
      return await readSmall(checked, flags, mayRead);
    } catch (error) {
      const trace = `${module} ${file}`;
      if (error instanceof InputError && !said.has(trace)) {
        said.add(trace);
        options.log.error("an administrator's password file is not read", { module, file, why: error.message });
      }
      throw error;
    }
  };
}

/** Throws InputError where no owner may name this file: the host's own keys and state are nobody's password. */
export function checkNamedFile(dir: string, file: string): void {
  if (!path.isAbsolute(file)) throw new InputError(`${file} is no absolute path`, "Name a password's file in full.");
  if (!isBelow(dir, path.normalize(file))) return;
  throw new InputError(
    `${file} is below the host's own folder`,
    "What a module has in its data folder needs no naming, and nothing else of that folder is ever sent: put the password elsewhere.",
  );
}

interface FoundFile {
  readonly checked: string;
  readonly flags: number;
  readonly mayRead: (stats: Stats) => void;
}

async function findFile(
  { folders, service, named }: AdminPasswordOptions,
  module: Name,
  file: string,
): Promise<FoundFile> {
  if (!path.isAbsolute(file)) throw new InputError("the administrator's password file is not an absolute path");
  const normal = path.normalize(file);
  const { dir, root } = folders;
  if ([dataPath(module), settingsPath(module)].some((own) => isBelow(path.join(root, own), normal))) {
    // No link is followed: a service must not choose which file of the host's is sent as a password.
    const checked = await resolveInRoot(root, path.relative(root, normal));
    const mayRead = (stats: Stats): void => refuseUnreadable(normal, stats, service);
    return { checked, flags: constants.O_NOFOLLOW, mayRead };
  }
  if (!named.some((each) => path.normalize(each) === normal)) {
    throw new InputError(
      `the administrator's password file ${normal} is no file of ${dataPath(module)} or ${settingsPath(module)}, and is not read: this machine's owner allows it by starting the host with --admin-password-file ${normal}`,
    );
  }
  const real = await whenMade(realpath(normal));
  if (isBelow(await realpath(dir), real)) {
    throw new InputError(
      `the administrator's password file ${normal} leads into the host's own folder, and is not read`,
    );
  }
  return { checked: real, flags: constants.O_NOFOLLOW, mayRead: () => undefined };
}

/** By what is open, so that what was changed since it was looked for changes nothing. A hard link is such a change as well. */
function refuseUnreadable(file: string, { uid, gid, mode }: Stats, service: ServiceUser): void {
  if (!service.isOther) return;
  const bit = uid === service.uid ? 0o400 : gid === service.gid ? 0o040 : 0o004;
  if ((mode & bit) !== 0) return;
  throw new InputError(
    `the administrator's password file ${file} is not read: the module's services, which run as ${service.name}, may not read it either. Give it to that user (chown ${service.name})`,
  );
}

async function readSmall(checked: string, flags: number, mayRead: FoundFile["mayRead"]): Promise<string> {
  const handle = await whenMade(open(checked, constants.O_RDONLY | constants.O_NONBLOCK | flags));
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > bytesLimit) {
      throw new InputError("the file with the administrator's password is no small regular file");
    }
    mayRead(stats);
    const password = (await handle.readFile("utf8")).replace(/\r?\n$/, "");
    // Empty: it is just being written.
    if (password === "") throw new UnavailableError("the file with the administrator's password is empty");
    return password;
  } finally {
    await handle.close();
  }
}

async function whenMade<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) {
      throw new UnavailableError("the file with the administrator's password is not there yet", "", { cause: error });
    }
    throw new InputError("the file with the administrator's password cannot be opened", "", { cause: error });
  }
}

function isBelow(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
