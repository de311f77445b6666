import { readRequirement, type Pyproject } from "../../source/imports/python-facts.ts";

interface PinnedWheel {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
}

export interface Backend {
  readonly module: string;
  /** The backend itself first. */
  readonly wheels: readonly [PinnedWheel, ...PinnedWheel[]];
}

/**
 * What makes a wheel of a module: both give equal bytes for equal input, and both read a project without running it.
 * Third parties of this product: pinned here, fetched when first needed, kept in the cache.
 */
export const backends: Readonly<Record<string, Backend>> = {
  "flit_core.buildapi": {
    module: "flit_core.buildapi",
    wheels: [
      {
        name: "flit-core",
        version: "4.2.0",
        sha256: "2bee22dc8ba89c2e35b4e1ad575e596aac945c85672dd8f3cad21b629036e044",
      },
    ],
  },
  "hatchling.build": {
    module: "hatchling.build",
    wheels: [
      {
        name: "hatchling",
        version: "1.33.0",
        sha256: "415290b84f464d2884303fca8974d38e7b85579069fab02a15db0828fbb1446d",
      },
      {
        name: "packaging",
        version: "26.4",
        sha256: "81383611a09c1bc0b08b76e0fd5829d7c6824c65b27a6aee339da133f4233ea2",
      },
      {
        name: "pathspec",
        version: "1.1.1",
        sha256: "a00ce642f577bf7f473932318056212bc4f8bfdf53128c78bbd5af0b9b20b189",
      },
      {
        name: "pluggy",
        version: "1.7.0",
        sha256: "7dd7b0d8832ba3cb632c306926ded123429211b83641b35dc5c41ad2d34f9bec",
      },
      {
        name: "tomlkit",
        version: "0.15.2",
        sha256: "05562412163a3037b94497385fb7f9204c637bc605af7a48199e41cf2272f437",
      },
      {
        name: "trove-classifiers",
        version: "2026.9.21.13",
        sha256: "8b1ff4f9c191b1040b71c37f1e445ab99732911e3cd91de52838453a854d7a17",
      },
    ],
  },
};

export type ChosenBackend =
  | { readonly kind: "chosen"; readonly backend: Backend }
  | { readonly kind: "refused"; readonly why: string };

const next =
  'use [build-system] requires = ["flit_core"], build-backend = "flit_core.buildapi", ' +
  'or requires = ["hatchling"], build-backend = "hatchling.build"';

/** Our own version of it is used, whatever versions `requires` asks for. */
export function chooseBackend(project: Pyproject): ChosenBackend {
  const system = project["build-system"];
  const name = system?.["build-backend"];
  if (name === undefined) return { kind: "refused", why: `names no build backend (setuptools is not taken): ${next}` };
  if (system?.["backend-path"] !== undefined)
    return { kind: "refused", why: `brings a build backend of its own (backend-path): ${next}` };
  const backend = Object.hasOwn(backends, name) ? backends[name] : undefined;
  if (backend === undefined) return { kind: "refused", why: `has the build backend ${name}: ${next}` };
  const [own] = backend.wheels;
  for (const text of system?.requires ?? []) {
    if (readRequirement(text)?.distribution !== own.name)
      return { kind: "refused", why: `needs ${text.slice(0, 200)} to be built: only ${own.name} is there` };
  }
  return { kind: "chosen", backend };
}
