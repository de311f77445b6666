import type { CommandDefinition } from "../command.ts";
import { standByBuild } from "../../decide/build-under-way.ts";
import { listBuildsUnderWay } from "../../store/builds-under-way.ts";
import { knowledgeCode, standByKnowledge } from "../../decide/judge-source.ts";
import { knowSources } from "../know-sources.ts";
import { listModules } from "../../store/modules.ts";
import { describeAge } from "../text/ages.ts";
import { alignColumns } from "../text/columns.ts";
import { plainLine } from "../text/plain.ts";
import { withMesh } from "../with-mesh.ts";

export const moduleListCommand: CommandDefinition = {
  configure: () => {},
  run: async (call) =>
    await withMesh(call, async (connection) => {
      const { db, mesh, setup } = connection;
      const sources = await knowSources(connection);
      const { now } = sources;
      const { lostAfterMs } = setup.settings;
      const underWay = await listBuildsUnderWay(db, mesh, { now: now.toISOString(), lostAfterMs });
      const modules = (await listModules(db, mesh)).map((module) => {
        const stands = standByBuild(module.name, module, underWay.get(module.name) ?? null);
        const source = sources.of(module.name);
        return { ...module, ...standByKnowledge(stands, source), source };
      });
      const codes = modules.map(({ standing, source }) => knowledgeCode(standing, source));
      const code = codes.includes(3) ? 3 : codes.includes(1) ? 1 : 0;
      const rows = modules.map((module) => [
        module.name,
        `${module.repository} ${module.branch} ${module.path}`,
        module.sourceCommit?.slice(0, 7) ?? "-",
        module.manifest?.upgrade ?? "-",
        module.standing.replaceAll("-", " "),
        `compared ${describeAge(module.comparedAt, now)}`,
        plainLine(knowledgeCode(module.standing, module.source) === 1 ? module.source.why : module.standingWhy, 160),
      ]);
      return {
        code,
        document: {
          modules: modules.map(({ manifest, ...module }) => ({ ...module, upgrade: manifest?.upgrade ?? null })),
        },
        text:
          rows.length === 0
            ? "no modules yet\n  next: mesh module add NAME --repo REPOSITORY --path FOLDER"
            : [
                alignColumns([["MODULE", "SOURCE", "COMMIT", "POLICY", "STANDS", "KNOWN", ""], ...rows]),
                ...(code === 3 ? [`  next: ${sources.remedy}`] : []),
              ].join("\n"),
      };
    }),
};
