import { mkdir, readFile, readdir, symlink, writeFile, copyFile } from "node:fs/promises";
import { join } from "node:path";
import { failpointsAllowed } from "../../../src/core/failpoints.ts";
import { program } from "../../beds/support/run-mesh.ts";
import { waitFor } from "../../beds/support/wait-for.ts";
import { startManaged, type ManagedProcess } from "./managed-process.ts";
import { openRoad, type Road } from "./road.ts";

/** One `mesh serve`, with a state folder and a road to PostgreSQL of its own. */
export interface Controller extends ManagedProcess {
  readonly road: Road;
}

export interface StartOptions {
  /** `MESH_FAILPOINTS`. */
  readonly failpoints?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export interface Controllers {
  readonly alive: readonly Controller[];
  /** Every one there ever was. */
  readonly all: readonly Controller[];
  start(options?: StartOptions): Promise<Controller>;
  /** The one that acts, by the record and by its own word. */
  waitForHolder(): Promise<Controller>;
  /** Like a service manager: what ends is started again, unarmed or with these options, until there are so many. */
  keep(count: number, options?: StartOptions): void;
  /** In order. */
  stopAll(): Promise<void>;
}

export const acts = "this controller acts for the mesh";
export const waits = "this one stands by";
const ready = '"ready"';

export interface ControllersOptions {
  readonly folder: string;
  readonly state: string;
  readonly postgresPort: () => number;
  /** `hostname/pid` of the lease's record; null: nobody. */
  readonly readHolder: () => Promise<string | null>;
  readonly program?: string;
}

export function createControllers(options: ControllersOptions): Controllers {
  const all: Controller[] = [];
  let wanted = 0;
  let wantedOptions: StartOptions = {};
  let stopping = false;
  let starting = 0;
  let last = 0;

  const listAlive = (): Controller[] => all.filter(({ isAlive }) => isAlive);

  async function start({ failpoints, env }: StartOptions = {}): Promise<Controller> {
    starting += 1;
    try {
      const number = (last += 1);
      const road = await openRoad(options.postgresPort);
      const state = await makeState(options, number, road.port);
      const armed =
        failpoints === undefined ? {} : { MESH_FAILPOINTS: failpoints, MESH_FAILPOINTS_ALLOWED: failpointsAllowed };
      const managed = startManaged({
        name: `controller ${number}`,
        args: [options.program ?? program, "serve", "--state", state],
        logFile: join(options.folder, `controller-${number}.log`),
        env: { ...armed, ...env },
      });
      const controller: Controller = Object.defineProperties(
        { road } as Controller,
        Object.getOwnPropertyDescriptors(managed),
      );
      all.push(controller);
      void controller.ended.then(() => road.close()).then(replace);
      return controller;
    } finally {
      starting -= 1;
    }
  }

  async function replace(): Promise<void> {
    if (!stopping && listAlive().length + starting < wanted) await start(wantedOptions);
  }

  return {
    get alive() {
      return listAlive();
    },
    all,
    start,
    async waitForHolder() {
      return await waitFor(
        "a controller that acts",
        async () => {
          const pid = Number((await options.readHolder())?.split("/").at(1));
          const found = listAlive().find((one) => one.pid === pid);
          return found?.text().includes(ready) === true ? found : null;
        },
        120_000,
      );
    },
    keep(count, started = {}) {
      wanted = count;
      wantedOptions = started;
      for (let more = count - listAlive().length - starting; more > 0; more -= 1) void start(wantedOptions);
    },
    async stopAll() {
      stopping = true;
      for (const one of listAlive()) {
        one.signal("SIGCONT");
        one.signal("SIGTERM");
      }
      const timer = setTimeout(() => {
        for (const one of listAlive()) one.signal("SIGKILL");
      }, 20_000);
      await Promise.all(all.map(({ ended }) => ended));
      clearTimeout(timer);
    },
  };
}

/** The mesh's own state folder, but for the road to the records. */
async function makeState({ folder, state }: ControllersOptions, number: number, port: number): Promise<string> {
  const own = join(folder, `controller-${number}`);
  await mkdir(join(own, "secrets"), { recursive: true, mode: 0o700 });
  for (const name of await readdir(state))
    if (name !== "secrets" && !name.startsWith("postgres-")) await symlink(join(state, name), join(own, name));
  for (const name of await readdir(join(state, "secrets"))) {
    const [from, to] = [join(state, "secrets", name), join(own, "secrets", name)];
    if (!name.startsWith("database-url")) await copyFile(from, to);
    else {
      const url = new URL((await readFile(from, "utf8")).trim());
      url.port = String(port);
      await writeFile(to, `${url.href}\n`, { mode: 0o600 });
    }
  }
  return own;
}
