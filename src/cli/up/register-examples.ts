import { sandboxLimits } from "../../build/sandbox.ts";
import type { Controller } from "../controller.ts";
import { addModule, listModules, type ModuleRecord } from "../../store/modules.ts";
import { listBuilds } from "../../store/builds.ts";
import { addRepository } from "../../store/repositories.ts";
import type { MeshConnection } from "../mesh-connection.ts";
import { plainLine } from "../text/plain.ts";
import { sleep } from "../wait.ts";
import { describeShortDisk } from "./expect-room.ts";
import { createMoves } from "./say-moves.ts";
import { exampleModules, exampleRepository, type UpParts } from "./up-plan.ts";

/** Registers the repository and its modules; what is registered already stays. Answers whether anything was new. */
export async function registerExamples(connection: MeshConnection, origin: string): Promise<boolean> {
  const { db, mesh } = connection;
  const before = new Set((await listModules(db, mesh)).map((module) => module.name));
  await addRepository(db, mesh, { name: exampleRepository, url: origin });
  for (const name of exampleModules) {
    if (!before.has(name))
      await addModule(db, mesh, { name, repository: exampleRepository, branch: "main", path: name });
  }
  return exampleModules.some((name) => !before.has(name));
}

/** A build of a cold machine fetches its packages first. */
const buildTimeoutMs = 10 * 60_000;
/** After this long a pause is worth a line. */
const lookAgainMs = 10_000;

/** Waits until each example has a fit artifact. Answers what is in the way of those that have none; empty: nothing is. */
export async function waitForExamples(
  parts: UpParts,
  connection: MeshConnection,
  controller: Controller,
): Promise<readonly string[]> {
  const sayMove = createMoves(parts.say);
  let isDiskSaid = false;
  const until = performance.now() + buildTimeoutMs;
  let lookedMs = performance.now();
  for (;;) {
    const modules = (await listModules(connection.db, connection.mesh)).filter((module) => isExample(module.name));
    for (const module of modules) sayMove(module);
    // A build's words are about folders of its sandbox.
    if (!isDiskSaid && modules.some(({ standing }) => standing === "outstanding")) {
      const words = await describeShortDisk(parts.paths.root, sandboxLimits.diskBytes);
      if (words !== null) parts.say(`${words}: make room on it, and the builds go on by themselves`);
      isDiskSaid = words !== null;
    }
    if (modules.every((module) => module.fitArtifact !== null)) return [];
    const stopped = modules.filter((module) => module.standing === "unfit" || module.standing === "broken");
    const waiting = modules.every(
      (module) => module.fitArtifact !== null || isStopped(module) || module.standing === "waiting",
    );
    if ((stopped.length > 0 && waiting) || performance.now() >= until || parts.interrupt.aborted) {
      return await describeTroubles(connection, modules);
    }
    if (performance.now() - lookedMs > lookAgainMs) {
      lookedMs = performance.now();
      await controller.wake("the first start waits for its examples");
    }
    await sleep(150, parts.interrupt);
  }
}

function isExample(name: string): boolean {
  return (exampleModules as readonly string[]).includes(name);
}

function isStopped(module: ModuleRecord): boolean {
  return module.standing === "unfit" || module.standing === "broken";
}

async function describeTroubles(
  connection: MeshConnection,
  modules: readonly ModuleRecord[],
): Promise<readonly string[]> {
  const troubles: string[] = [];
  for (const module of modules.filter((one) => one.fitArtifact === null)) {
    const [newest] = await listBuilds(connection.db, connection.mesh, module.name, 1);
    const why = newest === undefined || newest.message === "" ? module.standingWhy : newest.message;
    troubles.push(
      `${module.name} has no fit artifact: ${module.standing}${why === "" ? "" : `: ${plainLine(why, 300)}`}`,
    );
  }
  return troubles;
}
