import { isAbsolute, resolve } from "node:path";
import { InputError } from "../core/errors.ts";

const urlLimit = 1000;
const typedLimit = 500;
const remedy = "Use a folder's path, file:///…, https://host/path or ssh://user@host/path (or user@host:path).";
const token =
  "A token's file goes under `credentials` (tokenFile) in settings.json; over ssh the agent of the controller's user is asked.";

/** An address that is refused: why, and what to do instead. Neither repeats a password. */
interface Fault {
  readonly why: string;
  readonly next: string;
}

/**
 * The address that git is given, from what a person typed (R1, case 52). Nothing here can be taken for an option or
 * for a program to run, and no password travels in it: addresses are kept in tables and shown.
 */
export function checkRepositoryUrl(text: string): string {
  const fault = findFault(text);
  if (fault !== null) throw new InputError(fault.why, fault.next);
  if (text.startsWith("file://")) return `file://${resolve(text.slice("file://".length))}`;
  return isFolder(text) ? `file://${resolve(text)}` : text;
}

/**
 * A word of a command, which is kept as it was typed. It is for the controller's machine, and people compare it by eye: a folder
 * is named from the root on, and no character looks like another one.
 */
export function parseRepositoryUrl(word: unknown): string {
  const text = typeof word === "string" ? word : "";
  const fault = findTypedFault(text) ?? findFault(text);
  if (fault !== null) throw new InputError(fault.why, fault.next);
  return text;
}

function findTypedFault(text: string): Fault | null {
  if (text.length > typedLimit) return { why: `an address has at most ${typedLimit} characters`, next: remedy };
  if (/[^\x21-\x7e]/.test(text))
    return { why: "an address has no white space and no other character than ASCII's visible ones", next: remedy };
  return text.startsWith(".") ? { why: "a folder of a repository is named from the root on", next: remedy } : null;
}

function findFault(text: string): Fault | null {
  if (text.length === 0 || text.length > urlLimit)
    return { why: `a repository's address has 1 to ${urlLimit} characters`, next: remedy };
  if (/[\p{Cc}\s\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(text))
    return { why: "a repository's address holds no spaces and no control characters", next: remedy };
  if (text.startsWith("-")) return { why: `${show(text)} looks like an option, not like a repository`, next: remedy };
  if (text.startsWith("file://"))
    return isAbsolute(text.slice("file://".length))
      ? null
      : { why: `${show(text)} names no absolute path`, next: remedy };
  if (text.startsWith("https://")) return findWebFault(text);
  if (text.startsWith("ssh://")) return findSshFault(text);
  if (isFolder(text) || /^[a-z][a-z0-9._-]{0,31}@[A-Za-z0-9][A-Za-z0-9.-]{0,252}:[^-:][^:]*$/.test(text)) return null;
  return { why: `this address of a repository is not allowed: ${show(text)}`, next: remedy };
}

function isFolder(text: string): boolean {
  return isAbsolute(text) || text.startsWith("./") || text.startsWith("../");
}

function findWebFault(text: string): Fault | null {
  if (!URL.canParse(text)) return notAnAddress(text);
  const { username, password } = new URL(text);
  if (username === "" && password === "") return null;
  return { why: "an https address holds no user, token or password: it is kept in tables and shown", next: token };
}

function findSshFault(text: string): Fault | null {
  if (!URL.canParse(text)) return notAnAddress(text);
  const { username, password, hostname, pathname } = new URL(text);
  if (password !== "") return { why: "an ssh address holds no password: it is kept in tables and shown", next: token };
  if (/^[A-Za-z0-9[]/.test(hostname) && !username.startsWith("-") && !pathname.startsWith("/-")) return null;
  return { why: "this ssh address could be taken for an option", next: remedy };
}

/** Without what stands before an @ sign: it may be a password. */
function show(text: string): string {
  return text.replace(/^(.*?:\/\/)?.*@/s, "$1…@").slice(0, 100);
}

function notAnAddress(text: string): Fault {
  return { why: `${show(text)} is not an address`, next: remedy };
}
