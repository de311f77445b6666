import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { settleLib } from "../../../src/build/builders/python-lib.ts";
import { listFiles } from "../../../src/build/list-files.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const shared = "backports/__init__.py";

/** As pip leaves it where two distributions have files of one path: the last one's bytes, and both lists. */
async function install(distributions: Readonly<Record<string, Readonly<Record<string, string>>>>): Promise<string> {
  const lib = await createTemporaryFolder();
  for (const [name, files] of Object.entries(distributions)) {
    const lines = Object.entries(files).map(
      ([path, text]) => `${path},sha256=${createHash("sha256").update(text).digest("base64url")},${text.length}\n`,
    );
    const record = `${name}-1.0.dist-info/RECORD`;
    for (const [path, text] of Object.entries({ ...files, [record]: `${lines.join("")}${record},,\n` })) {
      await mkdir(dirname(join(lib, path)), { recursive: true });
      await writeFile(join(lib, path), text);
    }
  }
  return lib;
}

describe("a file of one path in two distributions (R11)", () => {
  it("is fine where it is the same one, and both have it", async () => {
    const text = "__path__ = 1\n";
    const lib = await install({
      a: { [shared]: text, "backports/a.py": "" },
      b: { [shared]: text, "backports/b.py": "" },
    });
    const settled = await settleLib(lib);
    expect(settled).toMatchObject([{ name: "a" }, { name: "b" }]);
    expect((await listFiles(lib)).filter((path) => path.startsWith("backports/"))).toEqual([
      shared,
      "backports/a.py",
      "backports/b.py",
    ]);
    for (const name of ["a", "b"])
      expect(await readFile(join(lib, `${name}-1.0.dist-info`, "RECORD"), "utf8")).toContain(`${shared},sha256=`);
  });

  it("is unfit where it is not, with both names and the path", async () => {
    const lib = await install({ a: { [shared]: "1\n" }, b: { [shared]: "2\n" } });
    expect(await settleLib(lib)).toMatchObject({
      verdict: { verdict: "unfit", message: `a and b both bring the file ${shared}, and not the same one` },
    });
  });
});
