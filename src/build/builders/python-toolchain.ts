import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { createAnswerMemory, createAsk, NoAnswerError } from "../../source/imports/ask-program.ts";
import { markPrograms } from "../../source/imports/find-program.ts";
import { lookForPython, type PythonInterpreter } from "../../source/imports/python-interpreter.ts";
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
const withoutPip = createAnswerMemory<Extract<FoundToolchain, { kind: "absent" }>>(() => true);

/** Asked again when it is another interpreter or its pip went; where there was none when one came, and a moment later. */
export function findPythonToolchain(): FoundToolchain {
  const install = `install Python 3.${leastMinor} or later (apt-get install python3 python3-pip)`;
  const look = lookForPython();
  if (look.kind === "absent") return { ...look, next: install };
  const python = look.interpreter;
  if (known !== null && known.python === python && existsSync(known.pip.path))
    return { kind: "found", toolchain: known };
  const marks = markPrograms([python.executable, ...placesOfPip(python)]);
  const absent = withoutPip.find(marks);
  if (absent !== null) return absent;
  const found = lookForToolchain(python, install);
  known = found.kind === "found" ? found.toolchain : null;
  if (found.kind === "absent") withoutPip.keep(marks, found);
  return found;
}

/** Folders that change when a pip, or the wheel it is installed from, comes to where one is looked for. */
function placesOfPip({ base, minor }: PythonInterpreter): string[] {
  const library = join(base, "lib", `python${minor}`);
  return [
    join(library, "site-packages"),
    join(base, "lib", "python3", "dist-packages"),
    join(library, "ensurepip", "_bundled"),
    "/usr/share/python-wheels",
  ];
}

function lookForToolchain(python: PythonInterpreter, install: string): FoundToolchain {
  if (Number(python.minor.split(".")[1]) < leastMinor)
    return { kind: "absent", why: `python3 is ${python.version}`, next: install };
  let pip: z.infer<typeof answerSchema>;
  try {
    pip = answerSchema.parse(JSON.parse(createAsk()(python.executable, ["-I", "-B", "-c", question], {})));
  } catch (error) {
    // Whether it has one cannot be told now.
    if (error instanceof NoAnswerError) return { kind: "absent", why: error.message, next: install };
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
