import { describe, expect, it } from "vitest";
import { createPythonReader } from "../../../src/source/imports/python.ts";
import type { ImportReader } from "../../../src/source/imports/import-reader.ts";

const reader: ImportReader = createPythonReader({ interpreter: null });
const hash = "a".repeat(64);
const lock = `attrs==25.1.0 --hash=sha256:${hash}\nPyYAML==6.0 --hash=sha256:${hash}\npytest==8.0 --hash=sha256:${hash}\n`;

describe("a lock file (R8)", () => {
  const read = (facts: Record<string, string>) => reader.readLock(new Map(Object.entries(facts)));
  const entries = [`attrs==25.1.0 --hash=sha256:${hash}`];
  const pylock = (
    more: string,
    wheel = `url = "https://files.pythonhosted.org/a.whl", hashes = {sha256 = "${hash}"}`,
  ) =>
    `lock-version = "1.0"\ncreated-by = "x"\n[[packages]]\nname = "attrs"\nversion = "25.1.0"\n${more}\nwheels = [{${wheel}}]\n`;

  it.each([
    ["requirements.lock", `attrs==25.1.0 --hash=sha256:${hash}`],
    [
      "requirements.lock",
      `# by a tool\nAttrs == 25.1.0 \\\n    --hash=sha256:${hash} \\\n    --hash=sha256:${hash}\n    # via x\n`,
    ],
    ["pylock.toml", pylock("")],
    ["pylock.toml", pylock(`index = "https://pypi.org/simple"\nmarker = "'dev' in dependency_groups"`)],
    ["pylock.toml", `# other\n${pylock("").replaceAll(" = ", "  =   ")}`],
  ])("%s gives the same entries, however it is written", (file, text) => {
    expect(read({ [file]: text })).toEqual({ kind: "locked", entries });
  });

  it("keeps where an entry is wanted", () => {
    const text = `attrs[x]==25.1.0 ; sys_platform == "win32" --hash=sha256:${hash}`;
    expect(read({ "requirements.lock": text })).toEqual({
      kind: "locked",
      entries: [`attrs==25.1.0 ; sys_platform == "win32" --hash=sha256:${hash}`],
    });
  });

  it("that is not there is none", () => expect(read({})).toEqual({ kind: "none" }));

  it.each([
    ["without a sha256", { "requirements.lock": "attrs==25.1.0" }, /no sha256/],
    ["with another digest", { "requirements.lock": `attrs==25.1.0 --hash=md5:${hash}` }, /no sha256/],
    ["without an exact version", { "requirements.lock": `attrs>=25 --hash=sha256:${hash}` }, /only name==version/],
    ["with a wildcard", { "requirements.lock": `attrs==25.* --hash=sha256:${hash}` }, /no exact version/],
    ["that is editable", { "requirements.lock": "-e ./x" }, /only name==version/],
    ["from git", { "requirements.lock": "attrs @ git+https://github.com/x/y" }, /only name==version/],
    ["from an address", { "requirements.lock": "attrs @ https://evil.example/a.whl" }, /only name==version/],
    ["that chooses an index", { "requirements.lock": "--index-url https://evil.example/" }, /only name==version/],
    ["that reads another file", { "requirements.lock": "-r /etc/passwd" }, /only name==version/],
    ["that is there twice", { "requirements.lock": `${lock}${lock}` }, /twice/],
    ["with two lock files", { "requirements.lock": lock, "pylock.toml": pylock("") }, /one of them must go/],
    ["from git in pylock.toml", { "pylock.toml": pylock("vcs = {type = 'git'}") }, /comes from a vcs/],
    ["from a folder", { "pylock.toml": pylock("directory = {path = '.'}") }, /comes from a directory/],
    ["from another index", { "pylock.toml": pylock("index = 'https://evil.example/simple'") }, /evil/],
    [
      "from a foreign host",
      { "pylock.toml": pylock("", `url = "https://evil.example/a.whl", hashes = {sha256 = "${hash}"}`) },
      /evil/,
    ],
    [
      "from a host with a password",
      { "pylock.toml": pylock("", `url = "https://a:b@pypi.org/a.whl", hashes = {sha256 = "${hash}"}`) },
      /no registry/,
    ],
    ["from a file", { "pylock.toml": pylock("", `path = "a.whl", hashes = {sha256 = "${hash}"}`) }, /file beside/],
    [
      "with a wheel without a sha256",
      { "pylock.toml": pylock("", 'url = "https://pypi.org/a.whl"') },
      /without a sha256/,
    ],
    [
      "with a source distribution only",
      { "pylock.toml": pylock("").replace(/wheels = .*/, "sdist = {url = 'x'}") },
      /no wheel/,
    ],
    ["of another version of the standard", { "pylock.toml": 'lock-version = "2.0"\npackages = []' }, /only version 1/],
    ["with a marker that is more than one", { "requirements.lock": `a==1 ; x $(id) --hash=sha256:${hash}` }, /marker/],
  ])("%s is refused (case 53)", (_, facts: Record<string, string>, wanted) => {
    const lockRead = read(facts);
    expect(lockRead.kind === "refused" ? lockRead.finding.message : lockRead.kind).toMatch(wanted);
  });
});
