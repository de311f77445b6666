import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { distributionName } from "../../source/imports/python-facts.ts";
import { isPythonTest, normaliseDistribution, type PythonLayout } from "../../source/imports/python-source.ts";
import { listFiles } from "../list-files.ts";
import { type BuildJob, type Judged, judgeEnvironment, unfit } from "./builder.ts";
import { readRoot, runPython } from "./python-run.ts";
import { buildScript, publishScript } from "./python-scripts.ts";
import type { PythonToolchain } from "./python-toolchain.ts";
import { describeRecord, readWheelFiles, sha256, type WheelFile } from "./python-wheel.ts";

export interface OwnWheel {
  readonly kind: "made";
  /** Normalised. */
  readonly name: string;
  /** `0.0.0+sha.<12 hex of what it holds>`: what did not change has the version it had. */
  readonly version: string;
  /** As it is published: without tests and comments, with metadata that only says what somebody needs. */
  readonly files: readonly WheelFile[];
  /** `[console_scripts]`: name → `module:function`. */
  readonly scripts: ReadonlyMap<string, string>;
}

/** Lets the module's backend make a wheel of it, and makes of that what others are built against. */
export async function makeOwnWheel(
  job: BuildJob,
  toolchain: PythonToolchain,
  backend: { readonly module: string; readonly folder: string },
  layout: PythonLayout,
): Promise<OwnWheel | Judged> {
  const [wheels, own] = [join(job.root, "wheel"), join(job.root, "own")];
  await mkdir(wheels);
  await mkdir(own);
  const built = await runPython(job, toolchain, {
    step: "compile",
    script: buildScript,
    words: ["/backend", backend.module, "/wheel"],
    folder: "/build/module",
    mounts: [
      readRoot(job),
      { from: backend.folder, to: "/backend", access: "read" },
      { from: wheels, to: "/wheel", access: "write" },
    ],
  });
  const stopped = judgeEnvironment(`building the wheel with ${backend.module}`, built);
  if (stopped !== null) return stopped;
  if (built.kind === "exited" && built.code !== 0)
    return unfit("compile", `${backend.module} made no wheel: ${lastLineOf(built.log)}`);
  const [wheel, ...others] = (await listFiles(wheels)).filter((path) => path.endsWith(".whl"));
  if (wheel === undefined || others.length > 0)
    return unfit("compile", `${backend.module} made ${others.length === 0 ? "no wheel" : "more than one wheel"}`);
  const published = await runPython(job, toolchain, {
    step: "compile",
    script: publishScript,
    words: [`/wheel/${wheel}`, "/own"],
    folder: "/tmp",
    mounts: [
      { from: wheels, to: "/wheel", access: "read" },
      { from: own, to: "/own", access: "write" },
    ],
  });
  const failed = judgeEnvironment("unpacking the wheel", published);
  if (failed !== null) return failed;
  if (published.kind !== "exited" || published.code !== 0)
    return unfit("compile", `the wheel cannot be unpacked: ${published.log.trim().slice(-500)}`);
  const faults = published.stdout.split("\n").flatMap((line) => /^fault (.*)$/.exec(line)?.[1] ?? []);
  if (faults.length > 0) return unfit("compile", faults.slice(0, 20).join("\n"));
  return describeOwn(own, layout);
}

/** Of what a wheel says about itself in one file. */
const textBytesLimit = 1024 * 1024;

async function describeOwn(folder: string, layout: PythonLayout): Promise<OwnWheel | Judged> {
  const paths = await listFiles(folder);
  const info = paths.find((path) => /^[^/]+\.dist-info\/METADATA$/.test(path))?.split("/", 1)[0];
  if (info === undefined) return unfit("compile", "the wheel has no METADATA");
  const code = paths.filter((path) => !path.startsWith(`${info}/`) && !path.endsWith(".pyc") && !isPythonTest(path));
  const tops = [...new Set(code.map((path) => (path.split("/", 1)[0] ?? "").replace(/\.pyi?$/, "")))].toSorted();
  const missing = layout.names.filter((name) => !tops.includes(name));
  const more = tops.filter((name) => !layout.names.includes(name));
  if (missing.length > 0 || more.length > 0) {
    const where = layout.root === "src" ? "src/" : "the module's folder";
    return unfit(
      "compile",
      `the wheel holds ${tops.join(", ") || "nothing"}, and ${where} holds ${layout.names.join(", ") || "nothing"}: ` +
        "tell the build backend in pyproject.toml which packages there are, or move what is none",
    );
  }
  const texts = new Map<string, string>();
  for (const name of ["METADATA", "WHEEL", "entry_points.txt"]) {
    const path = `${info}/${name}`;
    if (!paths.includes(path)) continue;
    // Before it is read: what a backend writes may be as large as its folder.
    if ((await stat(join(folder, path))).size > textBytesLimit)
      return unfit("compile", `${path} of the wheel is larger than ${textBytesLimit} bytes`);
    texts.set(name, await readFile(join(folder, path), "utf8"));
  }
  const metadata = readHeaders(texts.get("METADATA") ?? "");
  const name = metadata.find(([key]) => key === "Name")?.[1] ?? "";
  // It becomes a file's name and a line of requirements.
  if (!distributionName.safeParse(name).success)
    return unfit("compile", `the wheel calls itself ${JSON.stringify(name.slice(0, 100))}, which is no name`);
  const own = paths.filter((path) => path.startsWith(`${info}/`)).map((path) => path.slice(info.length + 1));
  const kept = own.filter((path) => path === "entry_points.txt" || path.startsWith("licenses/"));
  const wheelText = describeTags(texts.get("WHEEL") ?? "");
  const files = await readWheelFiles(folder, [...code, ...kept.map((path) => `${info}/${path}`)]);
  const content = files.map(({ path, bytes, isExecutable }) => [
    path.replace(`${info}/`, ""),
    sha256(bytes),
    isExecutable,
  ]);
  const identity = JSON.stringify([content, describeMetadata(metadata, ""), wheelText]);
  const version = `0.0.0+sha.${sha256(identity).slice(0, 12)}`;
  const newInfo = `${normaliseDistribution(name).replaceAll("-", "_")}-${version}.dist-info`;
  const all = [
    ...files.map((file) => ({ ...file, path: file.path.replace(`${info}/`, `${newInfo}/`) })),
    textFile(`${newInfo}/METADATA`, describeMetadata(metadata, version)),
    textFile(`${newInfo}/WHEEL`, wheelText),
  ];
  return {
    kind: "made",
    name: normaliseDistribution(name),
    version,
    files: [...all, textFile(`${newInfo}/RECORD`, describeRecord(all, newInfo))],
    scripts: readScripts(texts.get("entry_points.txt") ?? ""),
  };
}

function textFile(path: string, text: string): WheelFile {
  return { path, bytes: Buffer.from(text, "utf8"), isExecutable: false };
}

/** Until the first empty line: the description, a copy of the README, comes after it. */
function readHeaders(text: string): (readonly [string, string])[] {
  const [head = ""] = text.split(/\r?\n\r?\n/, 1);
  const unfolded = head.replaceAll(/\r?\n[ \t]+/g, " ");
  return unfolded.split(/\r?\n/).flatMap((line) => {
    const at = line.indexOf(":");
    const [key, value] = [line.slice(0, Math.max(0, at)), line.slice(at + 1).trimStart()];
    return /^[A-Za-z-]+$/.test(key) && !/[\r\u2028\u2029]/.test(value) ? [[key, value] as const] : [];
  });
}

const keptHeaders = ["Metadata-Version", "Name", "Requires-Python", "Requires-Dist", "Provides-Extra", "License-File"];

/** What decides how it is installed; who wrote it and what it says about itself may change without effect. */
function describeMetadata(headers: readonly (readonly [string, string])[], version: string): string {
  const lines = headers.filter(([key]) => keptHeaders.includes(key)).map(([key, value]) => `${key}: ${value}`);
  return [...lines.slice(0, 2), `Version: ${version}`, ...lines.slice(2), ""].join("\n");
}

function describeTags(text: string): string {
  const lines = readHeaders(text).filter(([key]) => key === "Root-Is-Purelib" || key === "Tag");
  return [
    "Wheel-Version: 1.0",
    "Generator: mesh-delivery",
    ...lines.map(([key, value]) => `${key}: ${value}`),
    "",
  ].join("\n");
}

/** `[console_scripts]` of an entry_points.txt. By trims: an expression walks a long run of blanks once for each of its places. */
export function readScripts(text: string): ReadonlyMap<string, string> {
  const scripts = new Map<string, string>();
  let section = "";
  for (const line of text.split(/\r?\n/).map((one) => one.trim())) {
    if (line.startsWith("[") && line.endsWith("]")) section = line.slice(1, -1).trim();
    const at = line.indexOf("=");
    const name = line.slice(0, Math.max(0, at)).trim();
    if (section !== "console_scripts" || name === "" || /[[\]]/.test(name)) continue;
    scripts.set(name, line.slice(at + 1).trim());
  }
  return scripts;
}

/** Of a traceback that is the error itself; the rest is in the log. */
function lastLineOf(log: string): string {
  return log.trim().split("\n").at(-1) ?? "it said nothing";
}
