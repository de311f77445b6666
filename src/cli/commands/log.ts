import type { CommandDefinition } from "../command.ts";
import { parseName } from "../arguments.ts";
import { readBlob } from "../../build/artifact-store.ts";
import { InputError } from "../../core/errors.ts";
import { type BuildRecord, listBuilds } from "../../store/builds.ts";
import { listBuildLog } from "../../store/build-log.ts";
import { getModule } from "../../store/modules.ts";
import type { MeshConnection } from "../mesh-connection.ts";
import { plainLine, plainLines } from "../text/plain.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
The log of a module's newest build, or of the one at the inputs that begin so (see mesh module show MODULE). It is kept with
the artifacts, up to 8 MiB: the beginning and the end. What is built now is followed with mesh build MODULE --follow.

Examples:
  mesh log meshboard
  mesh log meshboard --inputs 3f2a9c1`;

const buildsLookedAt = 200;

export const logCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("<module>", "a registered module")
      .option("--inputs <digest>", "the build at these inputs; the first digits are enough")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const name = parseName("module", call.args[0]);
    const inputs = parseInputs(call.options["inputs"]);
    return await withMesh(call, async (connection) => {
      const build = await findBuild(connection, name, inputs);
      const { text, whole } = await readLog(connection, build);
      const document = {
        module: name,
        inputs: build.inputs,
        commit: build.commit,
        state: build.state,
        attempt: build.attempts,
        bytes: build.logBytes,
        whole,
        text,
      };
      const about = `${name} at ${build.commit.slice(0, 7)}, inputs ${build.inputs.slice(7, 14)}: ${build.state}, attempt ${build.attempts}`;
      if (!call.options.json) call.context.stderr.write(`${plainLine(about)}${whole ? "" : sayPart(build, text)}\n`);
      return { code: 0, document, text: plainLines(text, 2000).join("\n") };
    });
  },
};

function parseInputs(typed: unknown): string {
  if (typed === undefined) return "";
  const digits = typeof typed === "string" ? typed.replace(/^sha256:/, "") : "";
  if (!/^[0-9a-f]{4,64}$/.test(digits))
    throw new InputError("--inputs is the beginning of a digest, at least 4 digits", "see mesh module show MODULE");
  return `sha256:${digits}`;
}

function sayPart({ state }: BuildRecord, text: string): string {
  if (text !== "") return "; only the end of its log";
  return state === "building" ? "; it has printed nothing so far" : "; it printed nothing that was kept";
}

async function findBuild({ db, mesh }: MeshConnection, module: string, inputs: string): Promise<BuildRecord> {
  const builds = (await listBuilds(db, mesh, module, buildsLookedAt)).filter((one) => one.inputs.startsWith(inputs));
  const [build] = builds;
  if (build === undefined && (await getModule(db, mesh, module)) === null)
    throw new InputError(`there is no module ${module}`, "see mesh module list");
  if (build === undefined)
    throw new InputError(`there is no build of ${module}${inputs === "" ? "" : " at such inputs"}`, "see mesh build");
  return build;
}

/** The whole log where it was kept and is here; else what is in the records. */
async function readLog(
  { db, mesh, paths }: MeshConnection,
  build: BuildRecord,
): Promise<{ readonly text: string; readonly whole: boolean }> {
  if (build.state === "building") {
    const parts = await listBuildLog(db, mesh, { modules: [build.module], after: build.startedAt });
    const own = parts.filter((part) => part.inputs === build.inputs && part.attempt === build.attempts);
    return { text: own.map((part) => part.text).join(""), whole: false };
  }
  const kept = build.logBlob === null ? null : await readBlob(paths.artifacts, build.logBlob);
  return kept === null ? { text: build.logTail, whole: false } : { text: kept.toString("utf8"), whole: true };
}
