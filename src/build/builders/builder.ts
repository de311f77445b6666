import type { OutstandingClass, Verdict } from "../../core/artifact.ts";
import type { Language } from "../../core/manifest.ts";
import type { Digest, Name } from "../../core/names.ts";
import type { Finding } from "../../source/finding.ts";
import type { Sandbox, SandboxLimits, SandboxResult } from "../sandbox.ts";

/** Where the module's folder is inside the sandbox, on every machine. */
export const buildRoot = "/build";

/** Where third-party packages come from, by the tool that fetches them. URLs with a slash at the end. */
export interface Registries {
  readonly npm: string;
  /** A GOPROXY. */
  readonly go: string;
  /** A simple index (PEP 503). */
  readonly pypi: string;
  /** A sparse index, without `sparse+`. */
  readonly crates: string;
}

export const publicRegistries: Registries = {
  npm: "https://registry.npmjs.org/",
  go: "https://proxy.golang.org/",
  pypi: "https://pypi.org/simple/",
  crates: "https://index.crates.io/",
};

export interface BuildJob {
  readonly module: Name;
  /** Outside: what is `/build` inside. The module's files are in `module/` below it. */
  readonly root: string;
  /** Unpacked artifacts of what it is built against. */
  readonly dependencies: readonly {
    readonly module: Name;
    readonly kind: "build" | "test";
    /** Of the artifact: what a version's name is made of, never a commit or a time. */
    readonly digest: Digest;
    readonly folder: string;
  }[];
  readonly cache: string;
  readonly registries: Registries;
  readonly sandbox: Sandbox;
  readonly limits: SandboxLimits;
  readonly signal: AbortSignal | undefined;
  readonly onStep: (step: string) => void;
  /** Adds to what is kept of the build's output. */
  readonly log: (text: string) => void;
}

export type BuildOutcome =
  /** `folder` holds exactly what the artifact is made of. */
  | { readonly kind: "built"; readonly folder: string; readonly findings: readonly Finding[] }
  | {
      readonly kind: "judged";
      readonly verdict: Exclude<Verdict, { verdict: "fit" }>;
      readonly findings: readonly Finding[];
      /** Dependencies that lack what is imported from them, where nothing else is wrong. Left out: it cannot be told. */
      readonly lacks?: readonly Name[];
    };

/** What ends a build without an artifact. */
export type Judged = Extract<BuildOutcome, { kind: "judged" }>;

export type Toolchain =
  | { readonly kind: "present"; readonly text: string }
  /** `next`: what to install. Its modules are *outstanding* here, never unfit. */
  | { readonly kind: "absent"; readonly why: string; readonly next: string };

/** One per language. Adding a language is adding a file that makes one of these. */
export interface Builder {
  readonly language: Language;
  /** Raised by hand when its rules change what comes out: part of every closure of the language. */
  readonly version: string;
  /** Compiler and runtime on this machine, e.g. `go 1.26.8, linux-x64`: part of every closure of the language. */
  describeToolchain(): Toolchain;
  /** Does the build want this file of the module? What the build makes by itself would only be in its way. */
  keeps(path: string): boolean;
  build(job: BuildJob): Promise<BuildOutcome>;
}

export function unfit(
  stage: "compile" | "test" | "manifest" | "import",
  message: string,
  findings: readonly Finding[] = [],
): Judged {
  return { kind: "judged", verdict: { verdict: "unfit", stage, message: message.trim().slice(0, 4000) }, findings };
}

export function outstanding(kind: OutstandingClass, message: string): Judged {
  return {
    kind: "judged",
    verdict: { verdict: "outstanding", class: kind, message: message.trim().slice(0, 4000) },
    findings: [],
  };
}

/** What the environment did to one step; null where it only ended. Never the module's fault (R11, case 10). */
export function judgeEnvironment(step: string, result: SandboxResult): Judged | null {
  switch (result.kind) {
    case "exited":
      return null;
    case "unavailable":
      return outstanding("sandbox", `${step}: ${result.why}`);
    case "limit": {
      const kind = result.which === "disk" || result.which === "memory" ? result.which : "limit";
      return outstanding(kind, `${step} was stopped by the limit on ${result.which}: ${result.message}`);
    }
    default:
      throw new Error("a result of a kind nobody knows");
  }
}
