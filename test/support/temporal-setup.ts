import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { findTemporal } from "../../src/embedded/find-temporal.ts";
import { chooseFreePort } from "../../src/embedded/ports.ts";
import { startTemporal } from "../../src/embedded/temporal.ts";
import { makeWorkflowBundle } from "./make-workflow-bundle.ts";
import { useSharedServer, type SharedServer } from "./shared-server.ts";
import { makeTestFolder, removeLeftoverFolders } from "./test-folder.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** host:port of a dev server with the mesh's search attributes; namespace `default`. */
    readonly temporalAddress: string;
    /** The `temporal` command it was started by. */
    readonly temporalBinary: string;
    /** The workflows for workers; undefined in a project without this setup. */
    readonly workflowBundleFile: string | undefined;
  }
}

const prefix = "mesh-test-temporal-";

interface TestTemporal extends SharedServer {
  readonly address: string;
  readonly binary: string;
  readonly workflowBundleFile: string;
}

/** vitest's globalSetup: one Temporal dev server on a database file in a temp folder, and the workflows' bundle; gone at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { server, release } = await useSharedServer("temporal", startTestTemporal, isTestTemporal);
  project.provide("temporalAddress", server.address);
  project.provide("temporalBinary", server.binary);
  project.provide("workflowBundleFile", server.workflowBundleFile);
  return release;
}

function isTestTemporal(server: SharedServer): server is TestTemporal {
  return "address" in server && "binary" in server && "workflowBundleFile" in server;
}

async function startTestTemporal(): Promise<TestTemporal> {
  await removeLeftoverFolders(prefix);
  const folder = await makeTestFolder(prefix);
  const log: string[] = [];
  const progress = (line: string): void => void log.push(line);
  try {
    const workflowBundleFile = join(folder, "workflow-bundle.js");
    await writeFile(workflowBundleFile, (await makeWorkflowBundle()).code);
    const binary = await findTemporal({ env: process.env, folder: join(folder, "bin"), progress });
    const running = await startTemporal({
      binary,
      folder: join(folder, "temporal"),
      runFolder: folder,
      logFolder: folder,
      port: await chooseFreePort(),
      uiPort: 0,
      ui: false,
      progress,
    });
    const stop = async (): Promise<void> => {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    };
    return { address: running.address, binary: binary.path, workflowBundleFile, stop };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`these tests need a Temporal server: ${message}\n${log.join("\n")}`, { cause });
  }
}
