import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Name } from "../../core/names.ts";
import { runCommand } from "../../embedded/run-command.ts";
import type { Running } from "../../embedded/running.ts";
import { startChild } from "../../embedded/start-child.ts";
import { writePrivateFile } from "../../disk/private-file.ts";
import { addNode, getNode } from "../../store/nodes.ts";
import { createHostToken, gatewayUrl } from "../create-host-token.ts";
import { hostProgramFile } from "../host-program.ts";
import type { MeshConnection } from "../mesh-connection.ts";
import { readHostMarks } from "./child-marks.ts";
import { hostEnvironment } from "./start-controller.ts";
import { loopback, type UpParts } from "./up-plan.ts";
import { readEnrolledAt, whyEnrol } from "./why-enrol.ts";

/** A contact is written down at most this often. */
const contactEveryMs = 5_000;

/** Registers the node and enrols its host, where that was not done yet, or at another address of the gateway. */
export async function enrolHost(parts: UpParts, connection: MeshConnection, node: Name): Promise<void> {
  const { db, mesh, setup } = connection;
  const dir = hostFolder(parts, node);
  await addNode(db, mesh, { name: node, address: loopback });
  const incarnation = (await getNode(db, mesh, node))?.incarnation ?? null;
  const gateway = { url: gatewayUrl(setup.gateway), ca: await readFile(parts.paths.authority, "utf8") };
  const why = whyEnrol({ incarnation, place: await readEnrolledAt(dir) }, gateway);
  if (why === null) return;
  if (incarnation !== null) parts.say(`${node}: its host is enrolled (${why})`);
  await mkdir(dir, { recursive: true });
  const tokenFile = join(parts.paths.secrets, `token-${node}`);
  // Enrolling again with the keys that are there already is the same host: a killed start is completed by this.
  await writePrivateFile(tokenFile, await createHostToken(connection, node));
  try {
    await runHostProgram(parts, dir, ["enrol", "--dir", dir, "--token-file", tokenFile], 30_000);
  } finally {
    await rm(tokenFile, { force: true });
  }
}

/**
 * The host as a process of its own. Its services outlive it, so that one of other code takes them over (R50); an orderly
 * stop ends them after it.
 */
export async function startHost(parts: UpParts, connection: MeshConnection, node: Name): Promise<Running> {
  const dir = hostFolder(parts, node);
  const startedMs = performance.now();
  const readSilentMs = async (): Promise<number> =>
    (await getNode(connection.db, connection.mesh, node))?.silentMs ?? Infinity;
  const running = await startChild({
    name: `host-${node}`,
    runFolder: parts.paths.run,
    logFolder: parts.paths.log,
    file: process.execPath,
    args: [hostProgramFile(), "run", "--dir", dir],
    cwd: dir,
    marks: await readHostMarks(dir),
    progress: parts.say,
    env: hostEnvironment(parts.env),
    isReady: async () => (await readSilentMs()) <= performance.now() - startedMs + contactEveryMs,
    // One that has nothing to do asks once in a long while: that it said nothing since this start means nothing.
    isWorking: async () => (await readSilentMs()) <= connection.setup.settings.silentAfterMs,
    readyTimeoutMs: 45_000,
    leftover: "adopt",
    // An apply under way is given time to end.
    stopSteps: [
      { signal: "SIGTERM", waitMs: 45_000 },
      { signal: "SIGKILL", waitMs: 5_000 },
    ],
  });
  return {
    ...running,
    stop: async () => {
      await running.stop();
      await endServices(parts, node);
    },
  };
}

/** Of a host that does not run: what it started outlives it. */
export async function endServices(parts: UpParts, node: Name): Promise<void> {
  const dir = hostFolder(parts, node);
  await runHostProgram(parts, dir, ["stop", "--dir", dir], 45_000);
}

async function runHostProgram(parts: UpParts, cwd: string, args: readonly string[], timeoutMs: number): Promise<void> {
  const env = hostEnvironment(parts.env);
  await runCommand(process.execPath, [hostProgramFile(), ...args], { timeoutMs, cwd, env });
}

function hostFolder(parts: UpParts, node: Name): string {
  return join(parts.paths.hosts, node);
}
