import { readFile } from "node:fs/promises";
import { InputError } from "../core/errors.ts";

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The user that services run as: `nobody` when the host is root, else the host's own. */
export interface ServiceUser extends Owner {
  /** Whether files can be given to it and processes started as it: only root can. */
  readonly isOther: boolean;
  readonly name: string;
}

export function hostOwner(): Owner {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

export async function findServiceUser(): Promise<ServiceUser> {
  const host = hostOwner();
  if (host.uid !== 0) return { ...host, isOther: false, name: String(host.uid) };
  const passwd = await readFile("/etc/passwd", "utf8");
  const [, , uid, gid] = /^nobody:.*$/m.exec(passwd)?.[0].split(":") ?? [];
  if (uid === undefined || gid === undefined) {
    throw new InputError(
      "there is no user nobody for services to run as",
      "Add it, or run the host as another user than root.",
    );
  }
  return { uid: Number(uid), gid: Number(gid), isOther: true, name: "nobody" };
}
