import type { CommandDefinition } from "../command.ts";
import { parseName } from "../arguments.ts";
import { InputError, UnavailableError } from "../../core/errors.ts";
import { probeRepository } from "../../source/ask-remote.ts";
import { parseRepositoryUrl } from "../../source/repository-url.ts";
import { addRepository, listRepositories, moveRepository } from "../../store/repositories.ts";
import type { HostCredentials } from "../../source/remote-credentials.ts";
import { plainLine } from "../text/plain.ts";
import { wakeController } from "../wake-controller.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
It is looked at once: a folder that is no git repository is refused; a remote one that does not answer now is
registered with a warning. A private https repository: put a token's file under \`credentials\` in settings.json. With
--moved nothing of the old address is kept: the clone is made anew from the new one.

Examples:
  mesh repo add shop https://git.example.com/shop.git
  mesh repo add shop /srv/git/shop.git
  mesh repo add shop https://new.example.com/shop.git --moved`;

export const repoAddCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("<name>", "what the mesh calls it")
      .argument("<url>", "https, ssh, or an absolute folder on the controller's machine")
      .option("--moved", "it is registered, and its address is another one now")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const name = parseName("repository", call.args[0]);
    const url = parseRepositoryUrl(call.args[1]);
    return await withMesh(call, async (connection) => {
      const { db, mesh, setup } = connection;
      const unreachable = await describeUnreachable(url, setup.settings.credentials);
      if (unreachable !== null && isLocal(url))
        throw new InputError(`nothing was registered: ${unreachable}`, "give the folder of a git repository");
      const moved = call.options["moved"] === true;
      if (!moved) await addRepository(db, mesh, { name, url });
      else if (!(await moveRepository(db, mesh, { name, url })))
        throw new InputError(`there is no repository ${name}, so nothing was moved`, "mesh repo list");
      const twins = (await listRepositories(db, mesh)).filter((one) => one.url === url && one.name !== name);
      for (const twin of twins)
        call.context.stderr.write(`mesh: warning: ${twin.name} has this address too; it is fetched and kept twice\n`);
      if (unreachable !== null) call.context.stderr.write(`mesh: warning: ${unreachable}\n`);
      // A new one is followed by no module yet: there is nothing to look at.
      const woken = moved ? await wakeController(connection, `repository ${name} moved`) : null;
      return {
        code: 0,
        document: {
          repository: { name, url },
          moved,
          twins: twins.map((twin) => twin.name),
          unreachable,
          controller: woken,
        },
        text: moved
          ? [
              `${name} is followed at its new address: ${plainLine(url)}`,
              ...(woken === null || woken.asked
                ? []
                : [`  the controller was not told (${woken.why}): it looks by itself when it runs`]),
              "  next: mesh build --wait",
            ].join("\n")
          : `${name} is registered: ${plainLine(url)}\n  next: mesh module add NAME --repo ${name} --path FOLDER`,
      };
    });
  },
};

/** A person waits for this. The controller asks with more patience. */
const patienceMs = 10_000;

function isLocal(url: string): boolean {
  return url.startsWith("/") || url.startsWith("file:");
}

/** Null: it answers. An address that every look would refuse is an InputError. */
async function describeUnreachable(url: string, credentials: HostCredentials): Promise<string | null> {
  try {
    await probeRepository(url, patienceMs, credentials);
    return null;
  } catch (error) {
    if (error instanceof UnavailableError) return plainLine(error.message);
    throw error;
  }
}
