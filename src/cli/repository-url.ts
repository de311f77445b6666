import { z } from "zod";

const longest = 500;

/**
 * Where a repository is: `https://…`, `ssh://…`, `user@host:path`, `file:///…` or an absolute folder. Nothing that git
 * would take for an option or for a program to run, and no password: addresses are kept and shown in clear.
 */
export const repositoryUrlSchema = z.string().superRefine((url, check) => {
  const why = whyNot(url);
  if (why !== null) check.addIssue({ code: "custom", message: why });
});

function whyNot(url: string): string | null {
  if (url.length > longest) return `an address has at most ${longest} characters`;
  if (/[^\x21-\x7e]/.test(url)) return "an address has no white space and no other character than ASCII's visible ones";
  if (url.startsWith("/")) return null;
  if (/^[A-Za-z0-9_][A-Za-z0-9._-]*@[A-Za-z0-9][A-Za-z0-9.-]*:[A-Za-z0-9._~/-]+$/.test(url)) return null;
  if (!URL.canParse(url)) return "an address is https://…, ssh://…, user@host:path, file:///… or an absolute folder";
  const parsed = new URL(url);
  if (!["https:", "ssh:", "file:"].includes(parsed.protocol))
    return `${parsed.protocol.slice(0, 20)} is not a way to a repository here: use https, ssh or file`;
  if (parsed.password !== "")
    return "an address holds no password: give git a credential helper or a key on the controller's machine";
  if (parsed.protocol === "https:" && parsed.username !== "")
    return "an https address holds no user or token: give git a credential helper on the controller's machine";
  if (parsed.hostname.startsWith("-") || parsed.username.startsWith("-"))
    return "a host or user does not start with a hyphen";
  return null;
}
