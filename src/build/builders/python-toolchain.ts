import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { z } from "zod";
import { findPython, type PythonInterpreter } from "../../source/imports/python-interpreter.ts";
import { describePlatform } from "../own-packages.ts";
import type { Mount } from "../sandbox.ts";
import type { Toolchain } from "./builder.ts";
import { backends } from "./python-backends.ts";

export interface PythonToolchain {
  readonly python: PythonInterpreter;
  readonly pip: { readonly version: string; readonly path: string; readonly isWheel: boolean };
  /** What a sandbox needs of it, read-only. */
  readonly mounts: readonly Mount[];
  /** Where pip is inside. */
  readonly pipPath: string;
}

/** Older ones lack what the build backends need. */
const leastMinor = 11;

/** The pip of the interpreter, or the one that it brings to install it from. */
const question = `
import glob, json, os
try:
    import pip
    answer = {"version": pip.__version__, "path": os.path.realpath(pip.__path__[0]), "isWheel": False}
except ImportError:
    import ensurepip
    found = glob.glob(os.path.join(os.path.dirname(ensurepip.__file__), "_bundled", "pip-*.whl"))
    found += glob.glob("/usr/share/python-wheels/pip-*.whl")
    path = os.path.realpath(sorted(found)[0])
    answer = {"version": os.path.basename(path).split("-")[1], "path": path, "isWheel": True}
print(json.dumps(answer))
`;

const answerSchema = z.strictObject({
  version: z.string().regex(/^[0-9][0-9A-Za-z.+]*$/),
  path: z.string().startsWith("/"),
  isWheel: z.boolean(),
});

export type FoundToolchain =
  | { readonly kind: "found"; readonly toolchain: PythonToolchain }
  | Extract<Toolchain, { kind: "absent" }>;

let known: PythonToolchain | null = null;

/** Asked again where there was none, and when it is another interpreter or its pip went. */
export function findPythonToolchain(): FoundToolchain {
  const python = findPython();
  if (known !== null && known.python === python && existsSync(known.pip.path))
    return { kind: "found", toolchain: known };
  const found = lookForToolchain(python);
  known = found.kind === "found" ? found.toolchain : null;
  return found;
}

function lookForToolchain(python: PythonInterpreter | null): FoundToolchain {
  const install = `install Python 3.${leastMinor} or later (apt-get install python3 python3-pip)`;
  if (python === null) return { kind: "absent", why: "there is no python3 on the PATH", next: install };
  if (Number(python.minor.split(".")[1]) < leastMinor)
    return { kind: "absent", why: `python3 is ${python.version}`, next: install };
  let pip: z.infer<typeof answerSchema>;
  try {
    const stdio: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
    const run = { cwd: "/", env: {}, stdio, timeout: 30_000, encoding: "utf8" as const };
    pip = answerSchema.parse(JSON.parse(execFileSync(python.executable, ["-I", "-B", "-c", question], run)));
  } catch (error) {
    const why = error instanceof Error ? (error.message.trim().split("\n").at(-1) ?? "") : "";
    return { kind: "absent", why: `python ${python.version} has no pip: ${why}`, next: "apt-get install python3-pip" };
  }
  const to = pip.isWheel ? "/toolchain/pip.whl" : "/toolchain/pip/pip";
  const base: Mount[] = python.base.startsWith("/usr") ? [] : [{ from: python.base, to: python.base, access: "read" }];
  const mounts: Mount[] = [...base, { from: pip.path, to, access: "read" }];
  return { kind: "found", toolchain: { python, pip, mounts, pipPath: to } };
}

/** e.g. `python 3.11.7, pip 23.2.1, flit_core 4.2.0, hatchling 1.33.0, linux-x64`. */
export function describePythonToolchain(): Toolchain {
  const found = findPythonToolchain();
  if (found.kind === "absent") return found;
  const { python, pip } = found.toolchain;
  const own = Object.values(backends).map(({ wheels }) => `${wheels[0].name} ${wheels[0].version}`);
  const parts = [`python ${python.version}`, `pip ${pip.version}`, ...own, describePlatform()];
  return { kind: "present", text: parts.join(", ") };
}
