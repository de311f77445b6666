import { UnavailableError } from "../core/errors.ts";
import { readPrivateFile } from "../disk/private-file.ts";
import type { GitConfig } from "./git.ts";

/** Where the token for one host is. The file holds the token alone and is read at every use, so it may be replaced. */
export interface HostCredential {
  readonly tokenFile: string;
  /** What the forge wants as user name beside a token. */
  readonly user: string;
}

/** By `host` or `host:port`, as it is in the address, in lower case. */
export type HostCredentials = Readonly<Record<string, HostCredential>>;

const tokenLimitBytes = 8_192;

/**
 * How git proves who asks, for this address and no other: a header that git itself sends to this scheme, host and port
 * only, and redirects are not followed. No program is asked, nothing is on a command line, and no file of the clone
 * holds it. UnavailableError where there is a rule and no token can be read by it.
 */
export async function readCredentials(url: string, rules: HostCredentials): Promise<GitConfig> {
  const host = hostOf(url);
  const rule = host === null ? undefined : ownRule(rules, host);
  if (host === null || rule === undefined) return [];
  const token = await readToken(rule.tokenFile, host);
  const basic = Buffer.from(`${rule.user}:${token}`, "utf8").toString("base64");
  return [[`http.https://${host}/.extraHeader`, `Authorization: Basic ${basic}`]];
}

/** Null for all but https: over ssh the agent's keys speak, and a folder asks nobody. */
function hostOf(url: string): string | null {
  return url.startsWith("https://") ? new URL(url).host : null;
}

function ownRule(rules: HostCredentials, host: string): HostCredential | undefined {
  return Object.hasOwn(rules, host) ? rules[host] : undefined;
}

async function readToken(path: string, host: string): Promise<string> {
  const next = `Put the token for ${host} into ${path}, readable by the controller's user alone (chmod 600).`;
  let text: string;
  try {
    text = (await readPrivateFile(path, tokenLimitBytes)).trim();
  } catch (cause) {
    // Whatever it is, a person mends it, and the next look goes on: it is asked for again.
    throw new UnavailableError(`the token file ${path} for ${host} cannot be used: ${sayWhy(cause)}`, next, { cause });
  }
  // What it holds is not in the message: it is a secret, whatever it is.
  if (!/^[\x21-\x7e]+$/.test(text)) throw new UnavailableError(`the token file ${path} holds no token`, next);
  return text;
}

function sayWhy(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
