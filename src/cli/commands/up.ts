import { resolve } from "node:path";
import type { CommandCall, CommandDefinition } from "../command.ts";
import { parseName } from "../arguments.ts";
import { type OpenState, openStateFolder } from "../../embedded/state-folder.ts";
import { createSupervisor, type Supervisor } from "../../embedded/supervisor.ts";
import { meshPaths, readSettings } from "../mesh-setup.ts";
import { expectOwnAddress } from "../../embedded/expect-own-address.ts";
import { expectRoom, explainFullDisk } from "../up/expect-room.ts";
import { bringUp } from "../up/bring-up.ts";
import type { MeshConnection } from "../mesh-connection.ts";
import { interrupted } from "../interrupted.ts";
import { plainLine } from "../text/plain.ts";
import { deliverLanguages } from "../up/deliver-languages.ts";
import { deliverAll, describeUp } from "../up/deliver-all.ts";
import { chooseMesh } from "../up/choose-mesh.ts";
import { keepPorts, type UpParts } from "../up/up-plan.ts";
import { type UpDocument, upText } from "../up/up-text.ts";

const help = `
Brings up PostgreSQL, Temporal with its UI, the controller and two hosts on this machine; makes a git repository out of
the examples, builds and judges them, and pushes node-a. Stays in the foreground; Ctrl-C ends all of it. Started again it
goes on from its state folder, and sends nothing twice. A start that was killed is completed by the next.

DATABASE_URL and TEMPORAL_ADDRESS name servers of your own, which are then neither started nor stopped. TEMPORAL_TLS_…,
TEMPORAL_API_KEY and TEMPORAL_PROFILE are read as Temporal's own tools read them.

Examples:
  mesh up
  mesh up --state /var/lib/mesh --no-examples`;

export const upCommand: CommandDefinition = {
  configure: (command) => {
    command
      .option("--mesh <name>", "the mesh's name (else that of the state folder, else local)")
      .option("--no-examples", "without the two hosts and the example modules")
      .option("--no-languages", "without the examples in Go, Python and Rust")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const asked = call.options["mesh"] === undefined ? null : parseName("mesh", call.options["mesh"]);
    const interrupt = call.context.listenForInterrupt();
    const say = (line: string): void => call.context.stderr.write(`${line}\n`);
    const path = resolve(call.context.cwd, call.options.state ?? (call.context.env["MESH_STATE"] || ".mesh"));
    const state = await openStateFolder({ path, progress: say });
    const supervisor = createSupervisor({ progress: say, logs: { folder: state.paths.log } });
    try {
      await expectRoom(state.paths.root, say);
      const paths = meshPaths(state.paths.root);
      const { listen } = await readSettings(paths.settings);
      await expectOwnAddress(listen, paths.settings);
      const parts: UpParts = {
        mesh: await chooseMesh(paths, asked),
        paths,
        ports: await keepPorts(state),
        keepPort: (name) => state.keepPort(name),
        listen,
        env: { ...call.context.env },
        say,
        interrupt,
      };
      const started = start(call, parts, state, supervisor);
      // Ctrl-C during the start ends it at once: what was begun is completed by the next start.
      const ready = await Promise.race([started, untilAborted(interrupt).then(() => null)]);
      if (ready === null)
        throw interrupted("it was interrupted before the mesh was up", "type it again: it goes on from there");
      const { document, connection } = ready;
      show(call, document);
      const wantsLanguages = call.options["examples"] !== false && call.options["languages"] !== false;
      if (wantsLanguages && document.troubles.length === 0) await deliverLater(parts, connection);
      await untilAborted(interrupt);
      return document.troubles.length > 0 ? 2 : 0;
    } catch (error) {
      throw await explainFullDisk(error, state.paths.root);
    } finally {
      say("ending what this command started");
      await supervisor.stopAll();
      await state.release();
    }
  },
};

interface Ready {
  readonly document: UpDocument;
  readonly connection: MeshConnection;
}

async function start(call: CommandCall, parts: UpParts, state: OpenState, supervisor: Supervisor): Promise<Ready> {
  const startedMs = performance.now();
  const withExamples = call.options["examples"] !== false;
  const up = await bringUp(parts, state, supervisor, withExamples);
  const delivered = withExamples ? await deliverAll(parts, up) : null;
  return { document: await describeUp(parts, up.connection, delivered, startedMs), connection: up.connection };
}

/** The mesh is up: what goes wrong here is said, and ends nothing. */
async function deliverLater(parts: UpParts, connection: MeshConnection): Promise<void> {
  try {
    await deliverLanguages(parts, connection);
  } catch (error) {
    if (!parts.interrupt.aborted)
      parts.say(`the examples in other languages were not delivered: ${plainLine(String(error))}`);
  }
}

function show(call: CommandCall, document: UpDocument): void {
  const { context, options, schema } = call;
  context.stdout.write(
    options.json ? `${JSON.stringify({ schema, ...document })}\n` : `\n${upText(document, context.now())}\n`,
  );
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolved) => signal.addEventListener("abort", () => resolved(), { once: true }));
}
