import { request } from "node:https";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { requireFreePort } from "../../embedded/ports.ts";
import type { Running } from "../../embedded/running.ts";
import { endOther, startChild, type LeftoverOptions } from "../../embedded/start-child.ts";
import { gatewayUrl } from "../create-host-token.ts";
import { readCodeMark, readControllerMarks } from "./child-marks.ts";
import type { UpParts } from "./up-plan.ts";

/**
 * `mesh serve` as a process of its own, ready when its gateway answers. One that a killed start left is adopted where it
 * runs this code and read what is there now; else it gives its lease back and makes room. After a kill -9 of the controller
 * itself the new one waits until the old lease has aged: up to 15 s.
 */
export async function startController(parts: UpParts): Promise<Running> {
  const { paths, ports } = parts;
  const authority = await readFile(paths.authority, "utf8");
  return await startChild({
    ...describeChild(parts),
    marks: await readControllerMarks(parts),
    logFolder: paths.log,
    env: controllerEnvironment(parts.env),
    isReady: () => isGatewayHealthy({ host: parts.listen, port: ports.gateway }, authority),
    readyTimeoutMs: 90_000,
    leftover: "adopt",
    beforeStart: () => requireGatewayPort(parts),
  });
}

/** Before tables and rights are brought to this code: a controller of another one must not work on them meanwhile. */
export async function endControllerOfOtherCode(parts: UpParts): Promise<void> {
  await endOther({ ...describeChild(parts), marks: { code: await readCodeMark() } });
}

function describeChild({ paths, say }: UpParts): LeftoverOptions {
  return {
    name: "controller",
    runFolder: paths.run,
    file: process.execPath,
    args: [...process.execArgv, mainFile(), "serve", "--state", paths.root],
    cwd: paths.root,
    progress: say,
    stopSteps: [
      // A build that was cut off takes up to half a minute to end, after 20 s in which it may end by itself; then the lease is given back.
      { signal: "SIGTERM", waitMs: 90_000 },
      { signal: "SIGKILL", waitMs: 5_000 },
    ],
  };
}

/** Hosts pin the gateway's address, so that its port is not given up as lightly as those that only this machine knows. */
async function requireGatewayPort({ listen, ports }: UpParts): Promise<void> {
  const url = gatewayUrl({ host: listen, port: ports.gateway });
  await requireFreePort(ports.gateway, {
    who: "the controller's gateway",
    host: listen,
    otherwise:
      `Every host calls ${url}, the address that it enrolled with. Only where that program cannot give way: remove "gateway" from ` +
      "ports.json in the state folder for another port, then enrol each host on another machine again (mesh host token NODE); " +
      "the hosts of the examples are enrolled again by mesh up.",
  });
}

/** The same program as this one, from src or from dist. */
export function mainFile(): string {
  return fileURLToPath(new URL(`../main${extname(import.meta.url)}`, import.meta.url));
}

/**
 * No address of the database is in it: that is read from a file in the state folder. How Temporal is reached is, its API
 * key too.
 */
function controllerEnvironment({ DATABASE_URL: _database, ...rest }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return rest;
}

/** No secret is in it: a host never sees PostgreSQL or Temporal. */
export function hostEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const rest = Object.entries(controllerEnvironment(env)).filter(([name]) => !name.startsWith("TEMPORAL_"));
  return Object.fromEntries(rest);
}

async function isGatewayHealthy(gateway: { host: string; port: number }, ca: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const asked = request({ ...gateway, path: "/v1/health", ca, agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on("timeout", () => asked.destroy());
    // absence is the answer: it does not listen yet, and is asked again.
    asked.on("error", () => resolve(false));
    asked.end();
  });
}
