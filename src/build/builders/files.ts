import { join } from "node:path";
import type { Builder } from "./builder.ts";

/** Files are packed as they are. */
export function createFilesBuilder(): Builder {
  return {
    language: "files",
    version: "1",
    describeToolchain: () => ({ kind: "present", text: "none" }),
    keeps: () => true,
    build: async (job) => ({ kind: "built", folder: join(job.root, "module"), findings: [] }),
  };
}
