import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { whenThere } from "../../src/core/errors.ts";
import { isAlive } from "../../src/embedded/process-identity.ts";
import { logBounds } from "../../src/embedded/keep-logs-small.ts";
import { spawnDetached } from "../../src/embedded/spawn-detached.ts";
import { sendSignal } from "../../src/embedded/stop-process.ts";
import { createSupervisor } from "../../src/embedded/supervisor.ts";
import { waitUntil } from "../../src/embedded/wait-until.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mesh-logs-"));
});
afterEach(() => rm(folder, { recursive: true }));

const sizeOf = async (name: string): Promise<number> => (await whenThere(stat(join(folder, name))))?.size ?? -1;
const bounds = { keptBytes: 2_000, everyMs: 5 };

it("cuts a log while its process goes on writing, again and again, and keeps what was written last (case 47)", async () => {
  const supervisor = createSupervisor({ progress: () => undefined, logs: { folder, ...bounds } });
  const program = "let n = 0; setInterval(() => { for (let i = 0; i < 20; i += 1) console.log('line ' + n++); }, 1);";
  const writer = await supervisor.keep("writer", async () => {
    const logFile = join(folder, "writer.log");
    const args = ["-e", program];
    const { identity } = await spawnDetached({ file: process.execPath, args, cwd: folder, env: {}, logFile });
    const stop = async (): Promise<void> => {
      sendSignal(identity.pid, "SIGKILL");
      expect(await waitUntil(() => !isAlive(identity), 5_000)).toBe(true);
    };
    return { identity, adopted: false, stop };
  });
  const last = async (): Promise<number> =>
    Number(
      /line (\d+)\n[^\n]*$/.exec((await whenThere(readFile(join(folder, "writer.log.1"), "utf8"))) ?? "")?.[1] ?? 0,
    );
  // Ten times and more what both files may have.
  expect(await waitUntil(async () => (await last()) > 5_000, 20_000)).toBe(true);
  expect(await sizeOf("writer.log.1")).toBeLessThanOrEqual(bounds.keptBytes);
  await supervisor.stopAll();
  expect(writer.identity !== null && isAlive(writer.identity)).toBe(false);
  // It was opened for appending: else a hole as long as all that was cut would stand before each line.
  expect(await readFile(join(folder, "writer.log"), "utf8")).not.toContain("\0");
});

it("says once of a log that it cannot be cut, cuts the others, and ends with the rest", async () => {
  const said: string[] = [];
  await mkdir(join(folder, "odd.log"));
  for (let count = 0; (await sizeOf("odd.log")) < bounds.keptBytes; count += 1)
    await writeFile(join(folder, "odd.log", `${count}-${"x".repeat(200)}`), "");
  await writeFile(join(folder, "web.log"), "x".repeat(3_000));
  await writeFile(join(folder, "notes.txt"), "x".repeat(3_000));
  const supervisor = createSupervisor({ progress: (line) => said.push(line), logs: { folder, ...bounds } });
  expect(await waitUntil(async () => (await sizeOf("web.log")) === 0, 5_000)).toBe(true);
  await writeFile(join(folder, "web.log"), "x".repeat(3_000));
  expect(await waitUntil(async () => (await sizeOf("web.log")) === 0, 5_000)).toBe(true);
  await supervisor.stopAll();
  expect(said).toEqual([expect.stringMatching(/odd\.log: it cannot be kept small: EISDIR/)]);
  expect(await sizeOf("notes.txt")).toBe(3_000);
  await writeFile(join(folder, "web.log"), "x".repeat(3_000));
  expect(await sizeOf("web.log")).toBe(3_000);
});

it("keeps 16 MiB twice for each part, as docs/operating.md says", async () => {
  const page = await readFile(new URL("../../docs/operating.md", import.meta.url), "utf8");
  expect(page).toContain(`one that has ${logBounds.keptBytes / 1024 ** 2} MiB`);
  expect(page).toContain(`every ${logBounds.everyMs / 1000} seconds`);
  expect(page).toContain(`at most ${(5 * 2 * logBounds.keptBytes) / 1024 ** 2} MiB`);
});
