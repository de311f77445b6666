import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { failpointsAllowed } from "../../../src/core/failpoints.ts";
import { hostProgram } from "../../beds/support/run-mesh.ts";
import { startManaged, type ManagedProcess } from "./managed-process.ts";
import type { Network } from "./network.ts";

/** The machines of the mesh: one host process each, in a network of its own where there is one. */
export interface Hosts {
  readonly nodes: readonly string[];
  process(node: string): ManagedProcess;
  /** With its state, and the machine's files below `root`. */
  folder(node: string): string;
  logFile(node: string): string;
  enrol(node: string, token: string): Promise<void>;
  start(node: string, failpoints?: string): void;
  stopAll(): Promise<void>;
}

export function createHosts(folder: string, network: Network | null, program = hostProgram): Hosts {
  const running = new Map<string, ManagedProcess>();
  const folderOf = (node: string): string => join(folder, "hosts", node);
  const logFile = (node: string): string => join(folder, `${node}.log`);
  const launch = (node: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ManagedProcess =>
    startManaged({
      name: node,
      args: [program, ...args],
      logFile: logFile(node),
      inside: network?.inside(node) ?? [],
      env,
    });
  return {
    get nodes() {
      return [...running.keys()];
    },
    process(node) {
      const found = running.get(node);
      if (found === undefined) throw new Error(`no host of ${node} was started`);
      return found;
    },
    folder: folderOf,
    logFile,
    async enrol(node, token) {
      await mkdir(folderOf(node), { recursive: true });
      const tokenFile = join(folder, `${node}.token`);
      await writeFile(tokenFile, token, { mode: 0o600 });
      const enrolling = launch(node, ["enrol", "--dir", folderOf(node), "--token-file", tokenFile]);
      const how = await enrolling.ended;
      if (how !== "code 0") throw new Error(`${node} did not enrol (${how}): ${enrolling.text()}`);
    },
    start(node, failpoints) {
      const armed =
        failpoints === undefined ? {} : { MESH_FAILPOINTS: failpoints, MESH_FAILPOINTS_ALLOWED: failpointsAllowed };
      running.set(node, launch(node, ["run", "--dir", folderOf(node), "--interval", "5"], armed));
    },
    async stopAll() {
      for (const [node, host] of running) {
        if (host.isAlive) {
          host.signal("SIGCONT");
          host.signal("SIGTERM");
          await host.ended;
        }
        await launch(node, ["stop", "--dir", folderOf(node)]).ended;
      }
    },
  };
}
