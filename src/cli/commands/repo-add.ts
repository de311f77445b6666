import type { CommandDefinition } from "../command.ts";
import { parseArgument, parseName } from "../arguments.ts";
import { repositoryUrlSchema } from "../repository-url.ts";
import { addRepository } from "../../store/repositories.ts";
import { plainLine } from "../text/plain.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Examples:
  mesh repo add shop https://git.example.com/shop.git
  mesh repo add shop /srv/git/shop.git`;

export const repoAddCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("<name>", "what the mesh calls it")
      .argument("<url>", "https, ssh, or an absolute folder on the controller's machine")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const name = parseName("repository", call.args[0]);
    const url = parseArgument(repositoryUrlSchema, "repository URL", call.args[1]);
    return await withMesh(call, async ({ db, mesh }) => {
      await addRepository(db, mesh, { name, url });
      return {
        code: 0,
        document: { repository: { name, url } },
        text: `${name} is registered: ${plainLine(url)}\n  next: mesh module add NAME --repo ${name} --path FOLDER`,
      };
    });
  },
};
