import { describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import { checkRepositoryUrl } from "../../src/source/repository-url.ts";

describe("the address of a repository", () => {
  it.each([
    ["/srv/git/a.git", "file:///srv/git/a.git"],
    ["file:///srv/git/a.git", "file:///srv/git/a.git"],
    ["https://example.org/a.git", "https://example.org/a.git"],
    ["ssh://git@example.org/a.git", "ssh://git@example.org/a.git"],
    ["git@example.org:team/a.git", "git@example.org:team/a.git"],
  ])("takes %s (R1)", (text, url) => {
    expect(checkRepositoryUrl(text)).toBe(url);
  });

  it.each([
    ["", "nothing"],
    ["--upload-pack=touch /tmp/x", "an option"],
    ["--upload-pack=x", "an option"],
    ["ext::sh -c touch% /tmp/x", "a program"],
    ["ext::sh", "a program"],
    ["fd::3", "another transport"],
    ["http://example.org/a.git", "no encryption"],
    ["git://example.org/a.git", "no encryption"],
    ["ssh://-oProxyCommand=x/a", "an option to ssh"],
    ["ssh://git@example.org/-x", "an option as path"],
    ["-oProxyCommand=x@host:a", "an option"],
    ["git@host:-x", "an option as path"],
    ["https://user:secret@example.org/a.git", "a password"],
    ["ssh://git:secret@example.org/a.git", "a password"],
    ["file://relative", "a relative path"],
    ["/srv/a\nb", "a line break"],
    ["/srv/a\u0000b", "NUL"],
    ["https://example.org/\u202egit", "a mark that turns text around"],
    [`/${"a".repeat(2000)}`, "too long"],
  ])("refuses %j: %s (case 52)", (text) => {
    expect(() => checkRepositoryUrl(text)).toThrow(InputError);
  });

  it("never repeats a password in the message", () => {
    expect(() => checkRepositoryUrl("https://user:hunter2@example.org/a")).toThrow(/^((?!hunter2).)*$/s);
  });
});
