import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { listFiles } from "../list-files.ts";
import { normaliseModes } from "../normalise-modes.ts";
import { manifestFile } from "../../source/read-manifest.ts";
import { type Judged, unfit } from "./builder.ts";
import { type ArtifactDescription, descriptionFile, type Distribution } from "./python-carried.ts";
import { describeRecord, readRecord, readWheelFiles } from "./python-wheel.ts";

/** What an installer writes about itself: when, how, from where. */
const installerFiles = new Set(["INSTALLER", "REQUESTED", "direct_url.json"]);

export interface InstalledDistribution {
  readonly name: string;
  readonly version: string;
  readonly info: string;
}

/**
 * Leaves exactly what the distributions say they are made of, with a RECORD that is a function of it: no scripts with
 * the path of this machine's Python, no compiled code, nothing about the installing.
 */
export async function settleLib(lib: string): Promise<readonly InstalledDistribution[] | Judged> {
  const paths = await listFiles(lib);
  const there = new Set(paths);
  const owners = new Map<string, { readonly name: string; readonly digest: string }>();
  const found: InstalledDistribution[] = [];
  for (const path of paths.filter((one) => /^[^/]+\.dist-info\/RECORD$/.test(one))) {
    const info = path.split("/", 1)[0] ?? "";
    const [, name = "", version = ""] = /^(.+?)-([^-]+)\.dist-info$/.exec(info) ?? [];
    const kept = readRecord(await readFile(join(lib, path), "utf8")).filter((one) => there.has(one.path));
    const lines = kept.filter((one) => !isInstallers(one.path) && !one.path.endsWith(".pyc"));
    for (const { path: file, digest } of lines) {
      const other = owners.get(file);
      // The same bytes are no quarrel: `backports/__init__.py`, and tests that wheels put beside their package.
      if (other !== undefined && (digest === "" || other.digest !== digest))
        return unfit("compile", `${other.name} and ${name} both bring the file ${file}, and not the same one`);
      owners.set(file, { name, digest });
    }
    const own = lines.map((one) => one.path);
    found.push({ name: name.replaceAll(/[-_.]+/g, "-").toLowerCase(), version, info });
    await writeFile(join(lib, path), describeRecord(await readWheelFiles(lib, own), info));
  }
  for (const path of paths) if (!owners.has(path)) await rm(join(lib, path));
  await normaliseModes(lib);
  return found;
}

function isInstallers(path: string): boolean {
  const [folder = "", name = "", ...more] = path.split("/");
  return folder.endsWith(".dist-info") && more.length === 0 && installerFiles.has(name);
}

export interface PlaceArtifact {
  readonly root: string;
  readonly lib: string;
  readonly python: string;
  readonly distributions: readonly Distribution[];
  readonly scripts: ReadonlyMap<string, string>;
}

/** `lib/`, `bin/`, the manifest, and what others need to build against it. Answers the folder. */
export async function placeArtifact(options: PlaceArtifact): Promise<string> {
  const folder = join(options.root, "out");
  await mkdir(folder);
  await rename(options.lib, join(folder, "lib"));
  await writeFile(join(folder, manifestFile), await readFile(join(options.root, "module", manifestFile)));
  const sorted = options.distributions.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const description: ArtifactDescription = { version: 1, python: options.python, distributions: sorted };
  await writeFile(join(folder, descriptionFile), `${JSON.stringify(description, null, 2)}\n`);
  if (options.scripts.size > 0) await mkdir(join(folder, "bin"));
  for (const [name, target] of options.scripts) {
    const text = describeLauncher(name, target, options.python);
    await writeFile(join(folder, "bin", name), text, { mode: 0o755 });
  }
  await normaliseModes(folder);
  return folder;
}

/** Null: fine. Both become text of a shell script, so both are checked to be nothing but names. */
export function describeRefusedScript(name: string, target: string): string | null {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) return `the script ${JSON.stringify(name)} has no usable name`;
  if (!/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(target))
    return `the script ${name} leads to ${JSON.stringify(target.slice(0, 200))}, which is no module:function`;
  return null;
}

/**
 * Works from any folder and any place the artifact is put, with a Python of the version that it was built with: what is
 * compiled in `lib/` fits no other. The machine's own packages are not seen.
 */
function describeLauncher(name: string, target: string, minor: string): string {
  const [module = "", attribute = ""] = target.split(":");
  const [first = ""] = attribute.split(".");
  const major = minor.replace(".", ", ");
  return `#!/bin/sh
here=$(CDPATH= cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P) || exit 1
for python in python${minor} python3 /usr/local/bin/python${minor} /usr/bin/python${minor}; do
  if "$python" -I -S -c 'import sys; sys.exit(sys.version_info[:2] != (${major}))' 2>/dev/null; then
    PYTHONPATH="$here/lib" PYTHONDONTWRITEBYTECODE=1 exec "$python" -s -S -c '
import site, sys
here = sys.argv[1]
sys.path[:] = [path for path in sys.path if path not in ("", here + "/lib")]
site.addsitedir(here + "/lib")
sys.argv[:] = [here + "/bin/${name}", *sys.argv[2:]]
from ${module} import ${first}
sys.exit(${attribute}())
' "$here" "$@"
  fi
done
echo "${name}: there is no Python ${minor} on this machine; install it as python${minor}" >&2
exit 127
`;
}
