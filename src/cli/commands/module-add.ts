import type { CommandDefinition } from "../command.ts";
import { parseArgument, parseName } from "../arguments.ts";
import { branchSchema, treePathSchema } from "../../core/names.ts";
import { InputError } from "../../core/errors.ts";
import { addModule } from "../../store/modules.ts";
import { getRepository } from "../../store/repositories.ts";
import { wakeController } from "../wake-controller.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
The folder holds a mesh.yaml. Nobody declares what a module is built against: its imports say it.

Example:
  mesh module add meshboard --repo examples --path meshboard`;

export const moduleAddCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("<module>", "its name, the same as in its mesh.yaml")
      .requiredOption("--repo <name>", "a registered repository (mesh repo list)")
      .option("--branch <branch>", "the branch it follows", "main")
      .option("--path <folder>", "its folder in the repository", ".")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const name = parseName("module", call.args[0]);
    const repository = parseName("repository", call.options["repo"]);
    const branch = parseArgument(branchSchema, "branch", call.options["branch"]);
    const path = parseArgument(treePathSchema, "folder", call.options["path"]);
    return await withMesh(call, async (connection) => {
      const { db, mesh } = connection;
      if ((await getRepository(db, mesh, repository)) === null) {
        throw new InputError(`there is no repository ${repository}`, `register it: mesh repo add ${repository} URL`);
      }
      await addModule(db, mesh, { name, repository, branch, path });
      const woken = await wakeController(connection, `module ${name} was registered`);
      return {
        code: 0,
        document: { module: { name, repository, branch, path }, controller: woken },
        text: [
          `${name} is registered: ${repository}, branch ${branch}, folder ${path}`,
          ...(woken.asked ? [] : [`  the controller was not told (${woken.why}): it looks by itself when it runs`]),
          `  next: mesh build ${name} --follow   then   mesh assign NODE ${name}`,
        ].join("\n"),
      };
    });
  },
};
