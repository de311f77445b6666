import type { Name } from "../../core/names.ts";
import type { Progress } from "../../embedded/progress.ts";
import type { OpenState } from "../../embedded/state-folder.ts";
import type { MeshPaths } from "../mesh-setup.ts";

/** What every step of `mesh up` is given. Each step looks first at what is there already, and does only what is missing. */
export interface UpParts {
  readonly mesh: Name;
  readonly paths: MeshPaths;
  readonly ports: UpPorts;
  /** Of what is known by name only when it is delivered: chosen free once, and kept. */
  readonly keepPort: (name: string) => Promise<number>;
  /** Where the gateway listens, from the settings: loopback unless a person said otherwise. */
  readonly listen: string;
  readonly env: NodeJS.ProcessEnv;
  /** Tells a person in one line what was done and how long it took. */
  readonly say: Progress;
  /** Aborted when the person asks to end. */
  readonly interrupt: AbortSignal;
}

/** Chosen free at the first start, and kept. */
export interface UpPorts {
  readonly postgres: number;
  readonly temporal: number;
  readonly temporalUi: number;
  readonly gateway: number;
  readonly meshboard: number;
  readonly provider: number;
}

export async function keepPorts(state: OpenState): Promise<UpPorts> {
  return {
    postgres: await state.keepPort("postgres"),
    temporal: await state.keepPort("temporal"),
    temporalUi: await state.keepPort("temporal-ui"),
    gateway: await state.keepPort("gateway"),
    meshboard: await state.keepPort("meshboard"),
    provider: await state.keepPort("provider"),
  };
}

/** The example's two machines: separate processes with own keys and folders on this one. */
export const exampleNodes = ["node-a", "node-b"] as const;
export const exampleModules = ["core", "meshboard", "postgres"] as const;
/** Delivered after the others, where the language's tools are on this machine. */
export const languageExamples = [
  { module: "clock-go", language: "go" },
  { module: "clock-python", language: "python" },
  { module: "clock-rust", language: "rust" },
] as const;
export const exampleRepository = "examples";
export const loopback = "127.0.0.1";
