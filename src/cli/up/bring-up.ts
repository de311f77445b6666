import type { Name } from "../../core/names.ts";
import type { OpenState } from "../../embedded/state-folder.ts";
import { providePostgres } from "../../embedded/provide-postgres.ts";
import { provideTemporal } from "../../embedded/provide-temporal.ts";
import { timeStep } from "../../embedded/progress.ts";
import type { Supervisor } from "../../embedded/supervisor.ts";
import { allowsUnsafe } from "../../build/open-sandbox.ts";
import { readClock } from "../../store/read-clock.ts";
import type { MeshConnection } from "../mesh-connection.ts";
import { readServeConfig } from "../serve-config.ts";
import { readSettings } from "../mesh-setup.ts";
import { expectNamespace } from "../../worker/temporal/connect-temporal.ts";
import { readNamedTemporal } from "../../worker/temporal/read-profile.ts";
import { checkSandbox } from "./check-sandbox.ts";
import { readKeptRoot } from "../keys/kept-root.ts";
import { prepareKeys } from "./prepare-keys.ts";
import { prepareRecords } from "./prepare-records.ts";
import { endControllerOfOtherCode, startController } from "./start-controller.ts";
import { bringUpHosts } from "./bring-up-hosts.ts";
import { endServices, enrolHost, startHost } from "./start-host.ts";
import { exampleNodes, exampleRepository, type UpParts } from "./up-plan.ts";
import { writeFirstSettings, writeMeshFile } from "./write-mesh-file.ts";

/** As `create-workers.ts` lets what is under way end. */
const controllerEnding = "a build or a push that is under way may end within 20 s; else it goes on at the next start";

export interface BroughtUp {
  readonly connection: MeshConnection;
  /** Nodes whose host was started now and not adopted: what they reported before says nothing about now. */
  readonly startedNodes: readonly Name[];
  /** By the database's clock, before the hosts were started. */
  readonly startedAt: string;
  /** About hosts that did not get ready, as sentences. */
  readonly troubles: readonly string[];
}

/** Only its own examples are built without a sandbox: other repositories of this mesh need one, or a person's word. */
async function allowExamples({ paths, say }: UpParts): Promise<void> {
  await writeFirstSettings(paths.settings, { unsafeWithoutSandbox: [exampleRepository] });
  const { unsafeWithoutSandbox } = await readSettings(paths.settings);
  if (allowsUnsafe(unsafeWithoutSandbox, exampleRepository)) say("the examples are built without a sandbox");
  else say(`the examples are not built: "unsafeWithoutSandbox": ["${exampleRepository}"] is not in ${paths.settings}`);
}

/** PostgreSQL, Temporal, tables, keys, controller, and with examples two hosts: in this order, each kept running. */
export async function bringUp(
  parts: UpParts,
  state: OpenState,
  supervisor: Supervisor,
  withExamples: boolean,
): Promise<BroughtUp> {
  const { paths, ports, env, say } = parts;
  const postgres = await supervisor.keep("PostgreSQL", (signal) =>
    providePostgres({ env, paths: state.paths, port: ports.postgres, signal, progress: say }),
  );
  const foreign = await readNamedTemporal(env);
  const temporal = await supervisor.keep("Temporal", () =>
    provideTemporal({
      env,
      foreign,
      paths: state.paths,
      port: ports.temporal,
      uiPort: ports.temporalUi,
      progress: say,
    }),
  );
  if (foreign !== null) await timeStep(say, "Temporal lets us in", () => expectNamespace(foreign, env));
  await endControllerOfOtherCode(parts);
  const { db, roles } = await timeStep(say, "records ready", () => prepareRecords(parts, postgres.url));
  await timeStep(say, "keys ready", () =>
    prepareKeys({ ...parts, readKeptRoot: () => readKeptRoot(db, parts.mesh) }, Date.now()),
  );
  const sandbox = await timeStep(say, "sandbox looked at", () => checkSandbox(parts));
  if (withExamples && !sandbox.works) await allowExamples(parts);
  const { schema: _schema, ...file } = await writeMeshFile(parts, {
    temporal: {
      address: temporal.address,
      namespace: temporal.namespace,
      ui: temporal.uiUrl,
      given: foreign?.given ?? null,
    },
    databaseRoles: roles.enforced,
  });
  const connection: MeshConnection = {
    mesh: parts.mesh,
    state: paths.root,
    paths,
    setup: { ...file, settings: await readSettings(paths.settings) },
    db,
    readServeConfig: () => readServeConfig(paths.root),
    close: () => db.end(),
  };
  await timeStep(say, "controller ready", () =>
    supervisor.keep("controller", () => startController(parts), controllerEnding),
  );
  const startedAt = await readClock(db);
  if (!withExamples) return { connection, startedNodes: [], startedAt, troubles: [] };
  const hosts = await timeStep(say, `hosts ${exampleNodes.join(" and ")} started`, () =>
    bringUpHosts(exampleNodes, supervisor, {
      enrol: (node) => timeStep(say, `${node} enrolled`, () => enrolHost(parts, connection, node)),
      start: (node) => startHost(parts, connection, node),
      endServices: (node) => endServices(parts, node),
    }),
  );
  return { connection, startedNodes: hosts.started, startedAt, troubles: hosts.troubles };
}
