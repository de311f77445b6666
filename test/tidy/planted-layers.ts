import type { Planted } from "./planted.ts";

export const refusedByLayers: readonly Planted[] = [
  { situation: "core imports decide", path: "src/core/a.ts", text: `import { x } from "../decide/x.ts";` },
  { situation: "core imports a package", path: "src/core/a.ts", text: `import { Pool } from "pg";` },
  { situation: "core imports Node", path: "src/core/a.ts", text: `import { join } from "node:path";` },
  { situation: "decide imports a package", path: "src/decide/a.ts", text: `import { z } from "zod";` },
  {
    situation: "decide hashes outside digest.ts",
    path: "src/decide/a.ts",
    text: `import { createHash } from "node:crypto";`,
  },
  { situation: "digest.ts reads files", path: "src/decide/digest.ts", text: `import { readFileSync } from "node:fs";` },
  {
    situation: "decide imports the store, types only",
    path: "src/decide/a.ts",
    text: `import type { X } from "../store/x.ts";`,
  },
  { situation: "store imports source", path: "src/store/a.ts", text: `import { x } from "../source/x.ts";` },
  { situation: "store imports the link", path: "src/store/a.ts", text: `import { x } from "../link/x.ts";` },
  { situation: "source imports build", path: "src/source/a.ts", text: `import { x } from "../build/x.ts";` },
  { situation: "build opens envelopes", path: "src/build/a.ts", text: `import { x } from "../link/envelope.ts";` },
  { situation: "link imports its gateway", path: "src/link/a.ts", text: `import { x } from "./gateway/x.ts";` },
  { situation: "link imports fastify", path: "src/link/a.ts", text: `import { fastify } from "fastify";` },
  { situation: "host imports the gateway", path: "src/host/a.ts", text: `import { x } from "../link/gateway/x.ts";` },
  { situation: "host imports the store", path: "src/host/a.ts", text: `import { x } from "../store/x.ts";` },
  { situation: "host composes", path: "src/host/a.ts", text: `import { compose } from "../decide/compose.ts";` },
  {
    situation: "a host's resource imports fastify",
    path: "src/host/resources/a.ts",
    text: `import { fastify } from "fastify";`,
  },
  {
    situation: "a workflow imports activities",
    path: "src/workflows/a.ts",
    text: `import { x } from "../activities/x.ts";`,
  },
  {
    situation: "a workflow imports an activity's type by a value import",
    path: "src/workflows/a.ts",
    text: `import { type X } from "../activities/x.ts";`,
  },
  {
    situation: "a workflow composes",
    path: "src/workflows/a.ts",
    text: `import { compose } from "../decide/compose.ts";`,
  },
  { situation: "a workflow imports the store", path: "src/workflows/a.ts", text: `import { x } from "../store/x.ts";` },
  {
    situation: "a workflow imports types of the store",
    path: "src/workflows/a.ts",
    text: `import type { X } from "../store/x.ts";`,
  },
  { situation: "a workflow imports Node", path: "src/workflows/a.ts", text: `import { join } from "node:path";` },
  { situation: "a workflow imports pino", path: "src/workflows/a.ts", text: `import { pino } from "pino";` },
  {
    situation: "an activity imports the worker",
    path: "src/activities/a.ts",
    text: `import { x } from "../worker/x.ts";`,
  },
  {
    situation: "an activity imports the gateway",
    path: "src/activities/a.ts",
    text: `import { x } from "../link/gateway/x.ts";`,
  },
  { situation: "the worker imports the host", path: "src/worker/a.ts", text: `import { x } from "../host/main.ts";` },
  {
    situation: "the worker imports the command line",
    path: "src/worker/a.ts",
    text: `import { x } from "../cli/x.ts";`,
  },
  {
    situation: "the command line imports the inside of the host",
    path: "src/cli/a.ts",
    text: `import { x } from "../host/supervisor.ts";`,
  },
  {
    situation: "the command line imports workflows by value",
    path: "src/cli/a.ts",
    text: `import { push } from "../workflows/push.ts";`,
  },
  { situation: "embedded imports the store", path: "src/embedded/a.ts", text: `import { x } from "../store/x.ts";` },
  { situation: "a re-export crosses", path: "src/core/a.ts", text: `export { x } from "../store/x.ts";` },
  { situation: "a star re-export crosses", path: "src/core/a.ts", text: `export * from "../store/x.ts";` },
  {
    situation: "a dynamic import crosses",
    path: "src/core/a.ts",
    text: `export const x = await import("../store/x.ts");`,
  },
  {
    situation: "a dynamic import by a template crosses",
    path: "src/core/a.ts",
    text: "export const x = await import(`../store/x.ts`);",
  },
  {
    situation: "a computed import",
    path: "src/store/a.ts",
    text: `export const x = (name: string) => import(name + ".ts");`,
  },
  {
    situation: "a type is imported in place",
    path: "src/decide/a.ts",
    text: `export type X = import("../store/x.ts").X;`,
  },
  { situation: "require crosses", path: "src/core/a.ts", text: `export const x = require("../store/x.ts");` },
  {
    situation: "import = require crosses",
    path: "src/core/a.ts",
    text: `import x = require("../store/x.ts"); export const y = x;`,
  },
  { situation: "a side effect crosses", path: "src/core/a.ts", text: `import "../store/x.ts";` },
  { situation: "src imports test", path: "src/store/a.ts", text: `import { x } from "../../test/support/x.ts";` },
  { situation: "Node without its prefix", path: "src/store/a.ts", text: `import { readFileSync } from "fs";` },
  { situation: "an import without its ending", path: "src/store/a.ts", text: `import { x } from "../core/names.js";` },
  { situation: "a folder that is no layer", path: "src/things/a.ts", text: `export const x = 1;` },
  { situation: "a file beside the layers", path: "src/a.ts", text: `export const x = 1;` },
];

export const passedByLayers: readonly Planted[] = [
  {
    situation: "core imports zod and itself",
    path: "src/core/a.ts",
    text: `import { z } from "zod"; import { x } from "./x.ts";`,
  },
  { situation: "digest.ts hashes", path: "src/decide/digest.ts", text: `import { createHash } from "node:crypto";` },
  { situation: "decide imports core", path: "src/decide/a.ts", text: `import { x } from "../core/x.ts";` },
  {
    situation: "store reads files",
    path: "src/store/a.ts",
    text: `import { readFileSync } from "node:fs"; import pg from "pg";`,
  },
  {
    situation: "the gateway imports the link",
    path: "src/link/gateway/a.ts",
    text: `import { x } from "../envelope.ts"; import { fastify } from "fastify";`,
  },
  { situation: "host imports the link", path: "src/host/a.ts", text: `import { x } from "../link/envelope.ts";` },
  { situation: "host accepts", path: "src/host/a.ts", text: `import { x } from "../decide/accept-declaration.ts";` },
  {
    situation: "a host's resource imports the host",
    path: "src/host/resources/a.ts",
    text: `import { x } from "../x.ts";`,
  },
  {
    situation: "a workflow imports types of activities",
    path: "src/workflows/a.ts",
    text: `import type { X } from "../activities/x.ts";`,
  },
  {
    situation: "a workflow makes ids",
    path: "src/workflows/a.ts",
    text: `import { x } from "../decide/ids.ts"; import { sleep } from "@temporalio/workflow";`,
  },
  {
    situation: "the worker joins the parts",
    path: "src/worker/a.ts",
    text: `import { x } from "../store/x.ts"; import { Worker } from "@temporalio/worker";`,
  },
  {
    situation: "the command line starts a host",
    path: "src/cli/a.ts",
    text: `const x = await import("../host/main.ts");`,
  },
  {
    situation: "the command line knows workflows by type",
    path: "src/cli/a.ts",
    text: `import type { push } from "../workflows/push.ts";`,
  },
  {
    situation: "an import in a comment or a string",
    path: "src/core/a.ts",
    text: `// import { x } from "../store/x.ts";\nexport const y = 'import { x } from "../store/x.ts"';`,
  },
  {
    situation: "a test imports anything",
    path: "test/core/a.test.ts",
    text: `import { x } from "../../src/store/x.ts";`,
  },
];
