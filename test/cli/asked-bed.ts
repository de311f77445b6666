import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, vi } from "vitest";
import { markSetup } from "../../src/cli/setup-marks.ts";
import { askFolderName } from "../../src/core/asking.ts";
import { type WatchAsks, watchAsks } from "../../src/worker/watch-asks.ts";
import { mesh } from "../store/open-records.ts";
import { type ComparedBed, openComparedBed } from "./compared-bed.ts";
import { type Ran, runMesh } from "./fake-context.ts";

/** One moment for whoever answers: ages are said as of it. */
export const now = new Date("2027-01-01T00:00:00.000Z");

/** A compared bed, and the part of a controller that answers commands. */
export interface AskedBed extends ComparedBed {
  readonly folder: string;
  /** Starts to listen, as a controller that starts now, and waits until it does. */
  listen(options?: Partial<WatchAsks>): Promise<{ stop(): Promise<void> }>;
  /** `mesh build --dry-run` with these, as of `now`. */
  dryRun(...argv: string[]): Promise<Ran>;
  /** The same under --json: asked of the controller, and worked out alone; each without what may differ. */
  both(...argv: string[]): Promise<{ readonly asked: Said; readonly alone: Said }>;
}

export interface Said {
  readonly code: number;
  readonly opened: boolean;
  readonly stdout: string;
}

export async function openAskedBed(): Promise<AskedBed> {
  const bed = await openComparedBed();
  writeFileSync(join(bed.state, "mesh.json"), JSON.stringify({ schema: 1, mesh }));
  const folder = join(bed.state, askFolderName);
  const dryRun = (...argv: string[]): Promise<Ran> =>
    runMesh(["build", "--dry-run", ...argv], { env: { MESH_STATE: bed.state }, openMesh: bed.connect, now });
  const said = async (...argv: string[]): Promise<Said> => {
    const { code, opened, stdout } = await dryRun("--json", ...argv);
    return { code, opened, stdout: withoutCounters(stdout) };
  };
  return {
    ...bed,
    folder,
    async listen(options = {}) {
      const { state, setup } = await markSetup(bed.state);
      const watch = watchAsks({
        db: bed.records.as("controller"),
        readDb: bed.records.open({ role: "controller", readOnly: true, maxConnections: 2 }),
        mesh,
        asks: { folder, state, setup },
        folders: { cache: join(bed.state, "cache") },
        credentials: {},
        lostAfterMs: 120_000,
        log: pino({ level: "silent" }),
        nowMs: () => now.getTime(),
        everyMs: 20,
        ...options,
      });
      await vi.waitFor(async () => expect((await dryRun()).stderr).not.toMatch(/no controller listens/), 20_000);
      return watch;
    },
    dryRun,
    both: async (...argv) => ({ asked: await said(...argv), alone: await said("--alone", ...argv) }),
  };
}

/** Who keeps imports in memory parses no file twice: of all that is said, that alone may differ, and who said it. */
function withoutCounters(stdout: string): string {
  return stdout
    .replace(/"parsedFiles":\d+,"cachedFiles":\d+/, '"files":0')
    .replace(/"answeredBy":"[a-z ]+"/, '"answeredBy":""');
}
