import { describe, expect, it } from "vitest";
import { readPythonLock } from "../../../src/source/imports/python-lock.ts";
import { readMarker } from "../../../src/source/imports/python-marker.ts";

describe("a marker of a Python lock file (R8)", () => {
  it.each([
    ["", ""],
    [`sys_platform == 'win32'`, `sys_platform == "win32"`],
    [`(sys_platform=="win32")`, `sys_platform == "win32"`],
    [`"3.9" <= python_version`, `"3.9" <= python_version`],
    [`sys.platform not in "win32 darwin"`, `sys.platform not in "win32 darwin"`],
    [`python_version ~= "3.9" and os_name == ""`, `python_version ~= "3.9" and os_name == ""`],
    [`(os_name == "a" or os_name == "b") and os_name == "c"`, `(os_name == "a" or os_name == "b") and os_name == "c"`],
    [`os_name == "a" or os_name == "b" and os_name == "c"`, `os_name == "a" or os_name == "b" and os_name == "c"`],
    [`os_name == "a" and (os_name == "b" and os_name == "c")`, `os_name == "a" and os_name == "b" and os_name == "c"`],
  ])("%s is what it says, written in one way", (marker, text) => {
    expect(readMarker(marker)).toEqual({ kind: "marker", text });
    expect(readMarker(text)).toEqual({ kind: "marker", text });
  });

  it.each([
    [`'dev' in dependency_groups`, ""],
    [`"default" in dependency_groups or "dev" in dependency_groups`, ""],
    [`"dev" in dependency_groups and python_version >= "3.9"`, `python_version >= "3.9"`],
    [`extra == 'x' and (os_name == "a" or os_name == "b")`, `os_name == "a" or os_name == "b"`],
    [
      `("a" in extras or "b" in extras) and os_name == "nt" and sys_platform == "x"`,
      `os_name == "nt" and sys_platform == "x"`,
    ],
    // Somebody wants it everywhere.
    [`"dev" in dependency_groups or python_version >= "3.9"`, ""],
    [`os_name == "a" and ("dev" in dependency_groups or os_name == "b")`, `os_name == "a"`],
  ])("%s is read without who wants it: the lock is fetched whole", (marker, text) => {
    expect(readMarker(marker)).toEqual({ kind: "marker", text });
  });

  it.each([
    [`python_versoin < "3"`, /asks for "python_versoin"/],
    [`x`, /no comparison/],
    [`os_name == `, /something else than a variable with a text/],
    [`os_name == sys_platform`, /something else than a variable with a text/],
    [`"a" == "b"`, /something else than a variable with a text/],
    [`os_name => "a"`, /compares by "=>"/],
    [`sys_platform ~= "linux"`, /which is no version/],
    [`(os_name == "a"`, /bracket that does not end/],
    [`os_name == "a")`, /where it should end/],
    [`os_name == "a" os_name == "b"`, /where it should end/],
    [`os_name == "a\nb"`, /cannot be read/],
    [`os_name == "a --no-deps"`, /cannot be read/],
    [`os_name == "\${HOME}"`, /cannot be read/],
    ["(".repeat(600), /longer than 500/],
  ])("%j is refused, and what it is that pip would not take", (marker, why) => {
    expect(readMarker(marker)).toEqual({ kind: "refused", why: expect.stringMatching(why) });
  });

  it("that is refused is named with its line, in both files (case 53)", () => {
    const hash = "a".repeat(64);
    const pylock = `lock-version = "1.0"\n[[packages]]\nname = "a"\nversion = "1"\nmarker = "no == 'x'"\nwheels = [{hashes = {sha256 = "${hash}"}}]\n`;
    expect(readPythonLock(new Map([["pylock.toml", pylock]]))).toMatchObject({
      finding: { severity: "error", file: "pylock.toml", line: 5 },
    });
    const plain = `# by a tool\na==1 ; no == "x" --hash=sha256:${hash}\n`;
    expect(readPythonLock(new Map([["requirements.lock", plain]]))).toMatchObject({
      finding: { severity: "error", file: "requirements.lock", line: 2 },
    });
  });
});
