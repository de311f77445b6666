import type { CommandDefinition } from "../command.ts";
import { parseName } from "../arguments.ts";
import { InputError } from "../../core/errors.ts";
import { standByBuild } from "../../decide/build-under-way.ts";
import { knowledgeCode, standByKnowledge } from "../../decide/judge-source.ts";
import { knowSources } from "../know-sources.ts";
import { listBuildsUnderWay } from "../../store/builds-under-way.ts";
import { listBuilds } from "../../store/builds.ts";
import { listEdges } from "../../store/edges.ts";
import { getModule } from "../../store/modules.ts";
import { listAssignments } from "../../store/assignments.ts";
import { moduleText } from "../text/module-text.ts";
import { withMesh } from "../with-mesh.ts";

const buildsShown = 10;

export const moduleShowCommand: CommandDefinition = {
  configure: (command) => {
    command.argument("<module>", "a registered module").option("--log", "print the end of its newest build's log");
  },
  run: async (call) => {
    const name = parseName("module", call.args[0]);
    return await withMesh(call, async (connection) => {
      const { db, mesh, setup } = connection;
      const module = await getModule(db, mesh, name);
      if (module === null) throw new InputError(`there is no module ${name}`, "see mesh module list");
      const sources = await knowSources(connection);
      const source = sources.of(name);
      const now = sources.now.toISOString();
      const { lostAfterMs } = setup.settings;
      const underWay = (await listBuildsUnderWay(db, mesh, { now, lostAfterMs })).get(name) ?? null;
      const stands = standByKnowledge(standByBuild(name, module, underWay), source);
      const edges = await listEdges(db, mesh);
      const document = {
        module: { ...module, ...stands },
        source,
        sourceLookedAt: sources.branchOf(name)?.lookedAt ?? null,
        builtAgainst: edges.filter((edge) => edge.module === name),
        builtInto: edges.filter((edge) => edge.dependency === name),
        builds: await listBuilds(db, mesh, name, buildsShown),
        assignments: (await listAssignments(db, mesh)).filter((assignment) => assignment.module === name),
      };
      return {
        code: knowledgeCode(stands.standing, source),
        document,
        text: moduleText(document, sources.now, call.options["log"] === true),
      };
    });
  },
};
