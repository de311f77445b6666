import { setTimeout as wait } from "node:timers/promises";
import { armFailpointsBy } from "../../core/failpoints.ts";
import type { CommandDefinition } from "../command.ts";
import { whyNotListen } from "../../embedded/expect-own-address.ts";
import { findMesh } from "../find-mesh.ts";
import { keepProvenanceKey } from "../keep-provenance-key.ts";
import { meshPaths, readMeshSetup } from "../mesh-setup.ts";
import { readServeConfig } from "../serve-config.ts";

const help = `
One controller acts at a time: a second one waits until the first gives its lease back or has not renewed it for its
age. Ctrl-C lets the work in hand end and gives the lease back. mesh up starts this process by itself.

Example:
  mesh serve --state /var/lib/mesh`;

export const serveCommand: CommandDefinition = {
  configure: (command) => {
    command.addHelpText("after", help);
  },
  run: async ({ context, options }) => {
    armFailpointsBy(context.env, { process, wait });
    const state = findMesh({ state: options.state, env: context.env, cwd: context.cwd });
    const { mesh } = await readMeshSetup(state);
    await keepProvenanceKey({
      mesh,
      paths: meshPaths(state),
      nowMs: context.now().getTime(),
      say: (line) => context.stderr.write(`${line}\n`),
    });
    const config = await readServeConfig(state);
    // It may come with the lease, as a floating address does: without it the gateway says so, and this process ends.
    const why = await whyNotListen(config.gateway.host);
    if (why !== null)
      context.stderr.write(
        `this controller could not listen on ${config.gateway.host} now: ${why} (\`listen\` in settings.json, else \`gateway\` in mesh.json)\n`,
      );
    const { serve } = await import("../../worker/serve.ts");
    await serve(config, context.listenForInterrupt());
    return 0;
  },
};
