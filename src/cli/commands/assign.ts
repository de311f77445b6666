import type { CommandDefinition } from "../command.ts";
import { parseArgument, parseName, parsePairs } from "../arguments.ts";
import { InputError } from "../../core/errors.ts";
import type { Name } from "../../core/names.ts";
import type { Manifest } from "../../core/manifest.ts";
import { type Assignment, assignmentSchema } from "../../core/node.ts";
import { checkConfig, listMissingConfig } from "../../decide/check-config.ts";
import { getArtifact } from "../../store/artifacts.ts";
import { assign } from "../../store/assignments.ts";
import { getModule, type ModuleRecord } from "../../store/modules.ts";
import type { Queryable } from "../../store/database.ts";
import { getNode } from "../../store/nodes.ts";
import { listNames } from "../../decide/short-names.ts";
import { collect } from "../collect.ts";
import { assignCommandLine } from "../text/assignment-words.ts";
import { plainLine } from "../text/plain.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Changes the mesh's records only: a push makes it so. Assigning again replaces the whole configuration. A key that the
module does not read, or a port that is none, is refused; of a module whose manifest was never read nothing is checked. A key that it needs and has no value for yet is a
warning: the assignment is made, and the node is not worked out until it is assigned again with that.

Examples:
  mesh assign node-a meshboard --set port=8080
  mesh assign node-a meshboard --set port=8080 --provider database=postgres@node-b`;

export const assignCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("<node>", "where it runs")
      .argument("<module>", "what runs there")
      .option("--set <key=value>", "a configuration value (repeat for more)", collect, [])
      .option(
        "--provider <requirement=module@node>",
        "which provider satisfies a requirement (repeat for more)",
        collect,
        [],
      )
      .addHelpText("after", help);
  },
  run: async (call) => {
    const assignment = parseArgument(assignmentSchema, "assignment", {
      node: parseName("node", call.args[0]),
      module: parseName("module", call.args[1]),
      config: parseConfig(call.options["set"]),
      providers: parseProviders(call.options["provider"]),
    });
    const { node, module } = assignment;
    return await withMesh(call, async ({ db, mesh }) => {
      if ((await getNode(db, mesh, node)) === null)
        throw new InputError(`there is no node ${node}`, "see mesh node list");
      const record = await getModule(db, mesh, module);
      if (record === null) throw new InputError(`there is no module ${module}`, "see mesh module list");
      const manifests = await listManifests(db, mesh, record);
      const isChecked = refuseBadConfig(module, manifests, assignment.config);
      await assign(db, mesh, assignment);
      const missing = manifests.composed === null ? [] : listMissingConfig(assignment.config, manifests.composed);
      if (missing.length > 0) call.context.stderr.write(`mesh: warning: ${sayMissing(assignment, missing)}\n`);
      const unchecked = `\n  ${module}'s manifest was not read yet: whether it reads what --set gives could not be checked`;
      const said = `${module} is assigned to ${node}; nothing was sent${isChecked ? "" : unchecked}`;
      return {
        code: 0,
        document: { assignment, configChecked: isChecked, missing },
        text: `${said}\n  next: ${missing.length > 0 ? giveMissing(assignment, missing) : `mesh plan ${node}   then   mesh push ${node}`}`,
      };
    });
  },
};

interface Manifests {
  /** Of the newest source, and of the newest fit build. */
  readonly all: readonly Manifest[];
  /** What a push would compose now, or would once its source was built. Null: none was read. */
  readonly composed: Manifest | null;
}

async function listManifests(
  db: Queryable,
  mesh: Name,
  { name, manifest, fitArtifact }: ModuleRecord,
): Promise<Manifests> {
  const fit = fitArtifact === null ? null : await getArtifact(db, mesh, name, fitArtifact);
  const all = [manifest, fit?.manifest ?? null].filter((one) => one !== null);
  return { all, composed: fit?.manifest ?? manifest };
}

function sayMissing({ node, module }: Assignment, missing: readonly string[]): string {
  const keys = `${listNames(missing)} ${missing.length === 1 ? "has" : "have"} no value and no default`;
  return `${keys}: until then ${node} cannot be worked out, and nothing new of any module reaches it because of ${module}`;
}

function giveMissing(assignment: Assignment, missing: readonly string[]): string {
  const values = Object.fromEntries(missing.map((key) => [key, "VALUE"]));
  return assignCommandLine({ ...assignment, config: { ...assignment.config, ...values } });
}

/** Throws InputError. False: there is configuration and no manifest to hold it against. */
function refuseBadConfig(name: Name, { all: manifests }: Manifests, config: Readonly<Record<string, string>>): boolean {
  if (Object.keys(config).length === 0) return true;
  if (manifests.length === 0) return false;
  const { unknown, noPorts, known } = checkConfig(config, manifests);
  const [key] = unknown;
  if (key !== undefined) {
    const keys = known.length === 0 ? "it reads none" : `it reads ${listNames(known, 40)}`;
    throw new InputError(
      `${name} does not read ${listNames(unknown, 5)}: ${keys}`,
      "a key that is new is known once its commit was looked at: mesh build, then again",
    );
  }
  const [port] = noPorts;
  if (port !== undefined)
    throw new InputError(
      `--set ${port.key}=${plainLine(port.value, 60)}: ${name} uses it as a port, which is 1 to 65535`,
    );
  return true;
}

function parseConfig(words: unknown): Record<string, string> {
  const config = parsePairs("--set", words);
  for (const [key, value] of Object.entries(config)) {
    if (!/^[a-z][A-Za-z0-9]{0,63}$/.test(key)) {
      const rule = "a key is letters and digits, begins with a lower-case letter, and has at most 64";
      throw new InputError(`--set "${plainLine(key, 60)}" is no configuration key: ${rule}`);
    }
    if (value.length > 4096) throw new InputError(`--set ${key} is too long: a value has at most 4096 characters`);
  }
  return config;
}

function parseProviders(words: unknown): Record<string, string> {
  const providers = parsePairs("--provider", words);
  for (const [requirement, provider] of Object.entries(providers)) {
    parseName("requirement", requirement);
    for (const name of provider.split("@")) parseName("provider module or node", name);
  }
  return providers;
}
