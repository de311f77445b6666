import { once } from "node:events";
import { createServer } from "node:net";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { UnavailableError } from "../../src/core/errors.ts";
import { listConditions, observeCondition } from "../../src/store/conditions.ts";
import type { LoopState } from "../../src/worker/client.ts";
import { reachTemporal, watchTemporal } from "../../src/worker/watch-temporal.ts";
import { mesh, openRecords, type Records, until } from "../store/open-records.ts";

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const loop = {
  readLoop: (): Promise<LoopState> => Promise.resolve({ kind: "goes-on" }),
  wakeReconcile: (): Promise<void> => Promise.resolve(),
};

const codes = async () => (await listConditions(records.db, mesh)).map(({ code, subject }) => `${code} ${subject}`);

it("a Temporal that does not answer again and again is a condition, until it answers (R33)", async () => {
  const address = "127.0.0.1:7233";
  let asked = 0;
  let answers = true;
  const controller = {
    ...loop,
    expectAnswer: (): Promise<void> => {
      asked += 1;
      return answers ? Promise.resolve() : Promise.reject(new UnavailableError("Temporal does not answer", ""));
    },
  };
  const log = pino({ level: "silent" });
  const watch = watchTemporal({ db: records.db, mesh, address, controller, log, everyMs: 20 });
  try {
    await until(() => Promise.resolve(asked > 0 ? true : null));
    expect(await codes()).toEqual([]);
    answers = false;
    const [open] = await until(async () => {
      const found = await listConditions(records.db, mesh);
      return found.length > 0 ? found : null;
    });
    expect(open).toMatchObject({
      code: "temporal-silent",
      subject: address,
      message: expect.stringMatching(
        /^Temporal at 127.0.0.1:7233 does not answer, so that nothing is compared/,
      ) as string,
      remedy: expect.stringContaining("npm start") as string,
    });
    answers = true;
    await until(async () => ((await codes()).length === 0 ? true : null));
  } finally {
    await watch.stop();
  }
});

it("one question without an answer is no trouble yet: a server starts again (R33)", async () => {
  let asked = 0;
  const controller = {
    ...loop,
    expectAnswer: (): Promise<void> => {
      asked += 1;
      return asked % 2 === 0 ? Promise.resolve() : Promise.reject(new UnavailableError("away", ""));
    },
  };
  const log = pino({ level: "silent" });
  const watch = watchTemporal({ db: records.db, mesh, address: "a:1", controller, log, everyMs: 10 });
  try {
    await until(() => Promise.resolve(asked > 6 ? true : null));
    expect(await codes()).toEqual([]);
  } finally {
    await watch.stop();
  }
});

it("a controller that starts and finds no Temporal ends, and what stays is a condition, until it answers (R33)", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("no port");
  const address = `127.0.0.1:${bound.port}`;
  server.close();
  const log = pino({ level: "silent" });
  const parts = { db: records.db, mesh, log };
  const before = { code: "temporal-silent", subject: "127.0.0.1:1", message: "no answer", remedy: "", urgent: false };
  await observeCondition(records.db, mesh, before);
  const reached = reachTemporal(parts, { address, namespace: "default" });
  await expect(reached).rejects.toThrow(/does not answer/);
  // Of the address before nobody says any more what it does.
  expect(await codes()).toEqual([`temporal-silent ${address}`]);
  const watch = watchTemporal({ ...parts, address, controller: { ...loop, expectAnswer: () => Promise.resolve() } });
  try {
    await until(async () => ((await codes()).length === 0 ? true : null));
  } finally {
    await watch.stop();
  }
});

it("a loop whose task fails again and again is an urgent condition, until it goes on; one that is not there is begun (R33)", async () => {
  let state: LoopState = { kind: "failing", times: 2 };
  let [read, woken] = [0, 0];
  const controller = {
    expectAnswer: () => Promise.resolve(),
    readLoop: () => {
      read += 1;
      return Promise.resolve(state);
    },
    wakeReconcile: () => {
      woken += 1;
      return Promise.resolve();
    },
  };
  const log = pino({ level: "silent" });
  const watch = watchTemporal({ db: records.db, mesh, address: "a:1", controller, log, everyMs: 1 });
  try {
    await until(() => Promise.resolve(read > 2 ? true : null));
    expect(await codes()).toEqual([]);
    state = { kind: "failing", times: 3 };
    const [open] = await until(async () => {
      const found = await listConditions(records.db, mesh);
      return found.length > 0 ? found : null;
    });
    expect(open).toMatchObject({ code: "loop-stuck", urgent: true });
    expect(open?.message).toMatch(/its task failed 3 times in a row$/);
    expect(woken).toBe(0);
    state = { kind: "absent" };
    await until(async () => (woken > 0 && (await codes()).length === 0 ? true : null));
  } finally {
    await watch.stop();
  }
});
