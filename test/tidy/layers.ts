/** One folder of `src`, and what its files may import. A layer may always import itself. */
export interface Layer {
  /** Folder below `src`, e.g. `link/gateway`. The longest match is a file's layer. */
  readonly folder: string;
  /** The question whose answer belongs here. */
  readonly question: string;
  /** Layers it may import anything from. `layer/name` allows that one file or folder of the layer. */
  readonly imports: readonly string[];
  /** Layers of which it may import types only (`import type`). */
  readonly types: readonly string[];
  /** Packages it may import. `@scope/*` allows a scope. */
  readonly packages: readonly string[];
  /** Node's own modules: all, none, or by file. */
  readonly node: "all" | "none" | { readonly file: string; readonly modules: readonly string[] };
}

/** Who may import whom. A change here is a change of the architecture: see docs/decisions/0001. */
export const layers: readonly Layer[] = [
  {
    folder: "core",
    question: "which word is this?",
    imports: [],
    types: [],
    packages: ["zod"],
    node: "none",
  },
  {
    folder: "disk",
    question: "how does a file come to be on a disk: whole, and for whom?",
    imports: ["core"],
    types: [],
    packages: [],
    node: "all",
  },
  {
    folder: "decide",
    question: "what should happen, and why?",
    imports: ["core"],
    types: [],
    packages: [],
    node: { file: "digest.ts", modules: ["node:crypto"] },
  },
  {
    folder: "store",
    question: "what is true, by our own records?",
    imports: ["core", "decide"],
    types: [],
    packages: ["pg", "zod"],
    node: "all",
  },
  {
    folder: "source",
    question: "what is in the repositories: commits, trees, manifests, imports?",
    imports: ["core", "disk", "decide", "link/artifact"],
    types: [],
    packages: ["oxc-parser", "yaml", "zod", "p-limit", "secure-json-parse", "smol-toml", "web-tree-sitter"],
    node: "all",
  },
  {
    folder: "build",
    question: "how is one artifact made, judged, packed and kept?",
    imports: ["core", "decide", "source", "link/artifact"],
    types: [],
    packages: ["tar", "typescript", "esbuild", "zod", "p-limit", "secure-json-parse", "smol-toml", "web-tree-sitter"],
    node: "all",
  },
  {
    folder: "link",
    question: "what crosses between controller and host, and who may send it?",
    imports: ["core", "disk", "decide"],
    types: [],
    packages: ["zod", "age-encryption", "secure-json-parse", "tar", "@peculiar/x509", "reflect-metadata"],
    node: "all",
  },
  {
    folder: "link/gateway",
    question: "what does the controller answer to hosts and forges?",
    imports: ["core", "decide", "link"],
    types: [],
    packages: ["zod", "fastify", "@fastify/rate-limit", "@octokit/webhooks-methods", "secure-json-parse"],
    node: "all",
  },
  {
    folder: "host",
    question: "what does one machine do with what it was told?",
    imports: [
      "core",
      "disk",
      "decide/accept-declaration",
      "decide/judge-reset",
      "decide/order",
      "decide/order-resources",
      "decide/digest",
      "link",
    ],
    types: ["decide"],
    packages: ["pg", "zod"],
    node: "all",
  },
  {
    folder: "workflows",
    question: "in what order, and how long do we wait?",
    imports: ["core", "decide/ids"],
    types: ["decide", "activities"],
    packages: ["@temporalio/workflow", "@temporalio/common"],
    node: "none",
  },
  {
    folder: "activities",
    question: "do this one thing",
    imports: ["core", "decide", "store", "source", "build", "link"],
    types: [],
    packages: ["@temporalio/activity", "@temporalio/common", "@temporalio/client", "p-limit", "pino", "zod"],
    node: "all",
  },
  {
    folder: "worker",
    question: "who joins the real parts together?",
    imports: [
      "core",
      "disk",
      "decide",
      "store",
      "source",
      "build",
      "link",
      "link/gateway",
      "activities",
      "workflows",
      "embedded",
    ],
    types: [],
    packages: ["@temporalio/*", "fastify", "pg", "pino", "zod", "p-limit"],
    node: "all",
  },
  {
    folder: "cli",
    question: "what did a person type, what do they see?",
    imports: [
      "core",
      "disk",
      "decide",
      "store",
      "source",
      "build",
      "link",
      "activities",
      "worker",
      "embedded",
      "host/main",
    ],
    types: ["workflows", "host", "link/gateway"],
    packages: [
      "commander",
      "@bomb.sh/tab",
      "picocolors",
      "@temporalio/client",
      "@temporalio/common",
      "pg",
      "zod",
      "yaml",
      "p-limit",
    ],
    node: "all",
  },
  {
    folder: "embedded",
    question: "PostgreSQL and Temporal for one machine",
    imports: ["core", "disk"],
    types: [],
    packages: [],
    node: "all",
  },
];
