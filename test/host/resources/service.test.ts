import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { ResourceOf } from "../../../src/core/resource.ts";
import { digestValue } from "../../../src/decide/digest.ts";
import { dataPath, hostFolders } from "../../../src/host/folders.ts";
import { createServiceHandler } from "../../../src/host/resources/service.ts";
import { findServiceUser } from "../../../src/host/service-user.ts";
import { createSupervisor } from "../../../src/host/supervisor/supervisor.ts";
import { makeDeclaration } from "../../link/support/fixtures.ts";
import { eventually, makeFolder } from "../../support/host-bed.ts";

/** A service's handler over a real supervisor, an hour after whatever is there was started: that has stayed. */
async function raiseHandler() {
  const folders = hostFolders(await makeFolder());
  await mkdir(path.join(folders.root, dataPath("web")), { recursive: true });
  const user = await findServiceUser();
  const supervisor = await createSupervisor({
    folder: path.join(folders.state, "services"),
    user,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    nowMs: Date.now,
    redact: (text) => text,
    onChange: () => undefined,
    onDamaged: () => undefined,
    graceMs: 500,
  });
  onTestFinished(async () => {
    await supervisor.stopAll();
    supervisor.close();
  });
  const nowMs = () => Date.now() + 3_600_000;
  const context = { folders, service: user, supervisor, nowMs, declaration: makeDeclaration() };
  const file = path.join(folders.state, "services/service.web.main.json");
  const readPid = async (): Promise<number> => JSON.parse(await readFile(file, "utf8")).identity.pid;
  return { folders, supervisor, handler: createServiceHandler(context), readPid };
}

/** Answers 200 to whoever asks, when `before` is done. */
async function raiseAnswering(before: () => Promise<void>): Promise<string> {
  const server = createServer((_, answer) => void before().then(() => answer.end("well"))).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`;
}

function service(http: string): ResourceOf<"service"> {
  const command = ["node", "-e", "setInterval(() => {}, 1000)"];
  return {
    id: "service/web/main",
    module: "web",
    after: [],
    artifact: digestValue("files"),
    kind: "service",
    command,
    env: {},
    restartOn: [],
    presence: [],
    health: { http, withinSeconds: 20 },
  };
}

it("counts an answer for the process that was there before and after it (R43)", async () => {
  const { supervisor, handler } = await raiseHandler();
  const wanted = await handler.want(service(await raiseAnswering(async () => undefined)));
  await supervisor.ensure(wanted.spec);
  const observed = await handler.read(wanted);
  expect(observed.health?.ok).toBe(true);
  expect(handler.conclude(wanted, observed).state).toBe("applied");
});

it("counts no answer for a process that was started while it was asked (R43, case 33)", async () => {
  const { supervisor, handler, readPid } = await raiseHandler();
  const restart = async (): Promise<void> => {
    const before = await supervisor.readRun(wanted.spec);
    process.kill(await readPid(), "SIGKILL");
    await eventually(async () => {
      const now = await supervisor.readRun(wanted.spec);
      return now?.alive === true && now.start !== before?.start;
    }, "started again");
  };
  const wanted = await handler.want(service(await raiseAnswering(restart)));
  await supervisor.ensure(wanted.spec);
  const observed = await handler.read(wanted);
  expect(observed.run).toMatchObject({ alive: true, endings: 1 });
  expect(observed.health).toBeNull();
  expect(handler.conclude(wanted, observed)).toMatchObject({
    state: "waiting",
    message: "signal SIGKILL: no line says why (log/web.log); it is started again",
  });
});

it("is started again where the same provision and version is another password: records were set back (R35, R46)", async () => {
  const { folders, supervisor, handler } = await raiseHandler();
  const provisions = "etc/web/provisions.json";
  const file = path.join(folders.root, provisions);
  await mkdir(path.dirname(file), { recursive: true });
  const restartOn = ["node-a.web.database.aaaa@node-b.postgres.bbbb#1@10.0.0.2:5432"];
  const http = await raiseAnswering(async () => undefined);
  const want = async (password: string) => {
    await writeFile(file, JSON.stringify({ database: { password } }));
    return handler.want({ ...service(http), provisions, restartOn });
  };
  const wanted = await want("first");
  await supervisor.ensure(wanted.spec);
  const first = await handler.read(wanted);
  expect(handler.diff(wanted, first)).toBeNull();
  expect(handler.diff(await want("first"), first)).toBeNull();
  const other = await want("second");
  expect(handler.diff(other, first)).not.toBeNull();
  await handler.apply(other, first);
  expect(handler.diff(other, await handler.read(other))).toBeNull();
  expect(JSON.stringify(other.spec)).not.toContain("second");
});
