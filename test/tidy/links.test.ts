import { existsSync, readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** Headings as GitHub names them: small letters, blanks as dashes, no other signs. */
function listAnchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Links of one document that lead nowhere: a file that is not there, or a heading that it does not have. */
function findDeadLinks(file: string, text: string): string[] {
  const prose = text.replace(/^```[^]*?^```$/gm, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [path = "", anchor] = target.split("#");
    const to = path === "" ? file : resolve(dirname(file), path);
    if (to !== file && !existsSync(to)) return [target];
    if (anchor === undefined || listAnchors(to === file ? text : readFileSync(to, "utf8")).includes(anchor)) return [];
    return [target];
  });
}

const documents = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\0")
  .filter((file) => file !== "" && existsSync(join(root, file)));

describe("links between documents", () => {
  it.each(documents)("%s", (file) => {
    expect(findDeadLinks(join(root, file), readFileSync(join(root, file), "utf8"))).toEqual([]);
  });

  it("to a file or a heading that is not there are found", () => {
    const text =
      "# One thing\n[a](gone.md) [b](#one-thing) [c](#another) [d](README.md#nothing) [e](https://x.example)";
    expect(findDeadLinks(join(root, "x.md"), text)).toEqual(["gone.md", "#another", "README.md#nothing"]);
  });
});
