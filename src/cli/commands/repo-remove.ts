import type { CommandDefinition } from "../command.ts";
import { parseName } from "../arguments.ts";
import { InputError } from "../../core/errors.ts";
import { listNames } from "../../decide/short-names.ts";
import { removeRepository } from "../../store/remove-repository.ts";
import { stepsOfEach } from "../text/say-each.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Takes a registration back, for instance one with a wrong address. A repository that modules follow stays.

Example:
  mesh repo remove shop`;

export const repoRemoveCommand: CommandDefinition = {
  configure: (command) => {
    command.argument("<repository>", "a registered repository").addHelpText("after", help);
  },
  run: async (call) => {
    const name = parseName("repository", call.args[0]);
    return await withMesh(call, async ({ db, mesh }) => {
      const { known, removed, followedBy } = await removeRepository(db, mesh, name);
      if (!known) throw new InputError(`there is no repository ${name}`, "see mesh repo list");
      if (!removed) {
        throw new InputError(
          `${name} stays: ${listNames(followedBy)} ${followedBy.length === 1 ? "follows" : "follow"} it`,
          stepsOfEach(followedBy, (module) => `mesh module remove ${module}`).join(", then "),
        );
      }
      return {
        code: 0,
        document: { removed: { repository: name } },
        text: `${name} is no repository of this mesh any more\n  next: mesh repo list`,
      };
    });
  },
};
