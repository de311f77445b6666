import { describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import { checkRepositoryUrl, parseRepositoryUrl } from "../../src/source/repository-url.ts";

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

describe("the address of a repository as a person types it (case 52)", () => {
  it.each([
    "https://git.example.com/shop.git",
    "ssh://git@git.example.com/shop.git",
    "git@git.example.com:team/shop.git",
    "/srv/git/shop.git",
    "file:///srv/git/shop.git",
  ])("%s is taken", (url) => expect(parseRepositoryUrl(url)).toBe(url));

  it.each([
    "--upload-pack=touch /tmp/x",
    "-oProxyCommand=x",
    "ext::sh -c touch% /tmp/x",
    "http://git.example.com/shop.git",
    "git://git.example.com/shop.git",
    "https://user:secret@git.example.com/shop.git",
    "https://token@git.example.com/shop.git",
    "ssh://-oProxyCommand=x/shop.git",
    "-x@host:path",
    "relative/folder",
    "./relative",
    "../relative",
    "git@host:-x",
    "/srv/git/josé.git",
    "/srv/git/a b.git",
    "/srv/git/\u001b[2J.git",
    "/srv/git/\u202egit",
    "",
    `/${"x".repeat(600)}`,
  ])("%s is refused", (url) => expect(() => parseRepositoryUrl(url)).toThrow(InputError));

  it.each([
    "https://user:hunter2@git.example.com/shop.git",
    "https://hunter2@git.example.com/shop.git",
    "ssh://git:hunter2@git.example.com/shop.git",
  ])("with a secret is refused without it, and is told where one goes: %s (R46)", (url) => {
    let said: unknown = null;
    try {
      parseRepositoryUrl(url);
    } catch (error) {
      said = error;
    }
    expect(said).toMatchObject({
      message: expect.not.stringContaining("hunter2"),
      next: expect.stringMatching(/`credentials` \(tokenFile\) in settings\.json/),
    });
  });

  it.each(["http://user:hunter2@host/a", "file://user:hunter2@host", "https://user:hunter2@", "user:hunter2@host:a"])(
    "of a kind that nobody takes is refused without its secret: %s (R46)",
    (url) => {
      for (const refuse of [parseRepositoryUrl, checkRepositoryUrl])
        expect(() => refuse(url)).toThrow(/^((?!hunter2).)*$/s);
    },
  );
});
