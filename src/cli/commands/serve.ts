import type { CommandDefinition } from "../command.ts";
import { findMesh } from "../find-mesh.ts";
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
    const config = await readServeConfig(findMesh({ state: options.state, env: context.env, cwd: context.cwd }));
    const { serve } = await import("../../worker/serve.ts");
    await serve(config, context.listenForInterrupt());
    return 0;
  },
};
