import { isAbsolute, resolve } from "node:path";
import { InputError } from "../core/errors.ts";

const urlLimit = 1000;
const remedy = "Use a folder's path, file:///…, https://host/path or ssh://user@host/path (or user@host:path).";

/**
 * The address that git is given, from what a person typed (R1, case 52). Nothing here can be taken for an option or
 * for a program to run, and no password travels in it: addresses are kept in tables and shown.
 */
export function checkRepositoryUrl(text: string): string {
  if (text.length === 0 || text.length > urlLimit)
    throw new InputError(`a repository's address has 1 to ${urlLimit} characters`, remedy);
  if (/[\p{Cc}\s\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(text)) {
    throw new InputError("a repository's address holds no spaces and no control characters", remedy);
  }
  if (text.startsWith("-")) throw new InputError(`${text} looks like an option, not like a repository`, remedy);
  if (text.startsWith("file://")) return checkFileUrl(text);
  if (text.startsWith("https://")) return checkWebUrl(text);
  if (text.startsWith("ssh://")) return checkSshUrl(text);
  if (isAbsolute(text) || text.startsWith("./") || text.startsWith("../")) return `file://${resolve(text)}`;
  if (/^[a-z][a-z0-9._-]{0,31}@[A-Za-z0-9][A-Za-z0-9.-]{0,252}:[^-:][^:]*$/.test(text)) return text;
  throw new InputError(`this address of a repository is not allowed: ${text.slice(0, 100)}`, remedy);
}

function checkFileUrl(text: string): string {
  const path = text.slice("file://".length);
  if (!isAbsolute(path)) throw new InputError(`${text} names no absolute path`, remedy);
  return `file://${resolve(path)}`;
}

function checkWebUrl(text: string): string {
  const url = parseUrl(text);
  if (url.username !== "" || url.password !== "") {
    throw new InputError(
      "an https address holds no user and no password: it is kept in tables and shown",
      "Use an ssh address for a private repository.",
    );
  }
  return text;
}

function checkSshUrl(text: string): string {
  const url = parseUrl(text);
  if (url.password !== "") throw new InputError("an ssh address holds no password", remedy);
  if (!/^[A-Za-z0-9[]/.test(url.hostname) || url.username.startsWith("-") || url.pathname.startsWith("/-")) {
    throw new InputError("this ssh address could be taken for an option", remedy);
  }
  return text;
}

function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch (cause) {
    throw new InputError(`${text.slice(0, 100)} is not an address`, remedy, { cause });
  }
}
