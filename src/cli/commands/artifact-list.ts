import type { CommandDefinition } from "../command.ts";
import { parseName } from "../arguments.ts";
import { loadArtifacts } from "../artifacts/load-artifacts.ts";
import { rowOf } from "../artifacts/row-of.ts";
import { InputError } from "../../core/errors.ts";
import { getModule } from "../../store/modules.ts";
import { artifactListText } from "../text/artifact-text.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
An artifact is named by the digest of its content. REPRODUCIBLE says what a second build of the same inputs gave.

Examples:
  mesh artifact list
  mesh artifact list meshboard --json`;

export const artifactListCommand: CommandDefinition = {
  configure: (command) => {
    command.argument("[module]", "only its artifacts; all when left out").addHelpText("after", help);
  },
  run: async (call) => {
    const name = call.args[0] === undefined ? null : parseName("module", call.args[0]);
    return await withMesh(call, async ({ db, mesh }) => {
      const rows = (await loadArtifacts(db, mesh)).filter((one) => name === null || one.artifact.module === name);
      if (name !== null && rows.length === 0 && (await getModule(db, mesh, name)) === null)
        throw new InputError(`there is no module ${name}`, "see mesh module list");
      const artifacts = rows.map(rowOf);
      return { code: 0, document: { artifacts }, text: artifactListText(artifacts, call.context.now()) };
    });
  },
};
