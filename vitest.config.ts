import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { RunOrder } from "./test/support/run-order.ts";

/**
 * Left alone, vitest keeps one core for itself, which on two cores means one test file at a time. And one more than there are
 * cores: many tests wait for a program that they start, a sandbox, a compiler, a server.
 */
const computing = availableParallelism() + 1;
/** Servers, hosts and builds of a mesh mostly wait, for each other and for leases to end: two of them leave a core idle. */
const waiting = 3;

/** As in each program of the product. */
const setupFiles = ["test/support/file-work.ts"];

/**
 * unit: no server at all. records: real PostgreSQL. flows: real PostgreSQL, Temporal and git.
 * beds: whole meshes with separate processes. A test's suffix says which it is. Flows and beds come after the rest, so that
 * what has bounds in time is not pressed by what only computes.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: RunOrder },
    projects: [
      {
        test: {
          name: "unit",
          setupFiles,
          include: ["test/**/*.test.ts"],
          // Modules of beds are built and tested by the beds, in the sandbox.
          exclude: ["test/**/*.{pg,flow,bed}.test.ts", "test/beds/modules/**"],
          testTimeout: 30_000,
          maxWorkers: computing,
          // One after the other in a process that has loaded the sources already: no test changes what others import.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "records",
          setupFiles,
          include: ["test/**/*.pg.test.ts"],
          globalSetup: ["test/support/postgres-setup.ts"],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          maxWorkers: computing,
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "flows",
          setupFiles,
          include: ["test/**/*.flow.test.ts"],
          globalSetup: ["test/support/postgres-setup.ts", "test/support/temporal-setup.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: waiting,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "beds",
          setupFiles,
          include: ["test/{beds,faults}/**/*.bed.test.ts"],
          globalSetup: ["test/beds/support/build-setup.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          maxWorkers: waiting,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
