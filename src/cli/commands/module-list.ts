import type { CommandDefinition } from "../command.ts";
import { standByBuild } from "../../decide/build-under-way.ts";
import { listBuildsUnderWay } from "../../store/builds-under-way.ts";
import { readClock } from "../../store/read-clock.ts";
import { listModules } from "../../store/modules.ts";
import { describeAge } from "../text/ages.ts";
import { alignColumns } from "../text/columns.ts";
import { plainLine } from "../text/plain.ts";
import { withMesh } from "../with-mesh.ts";

export const moduleListCommand: CommandDefinition = {
  configure: () => {},
  run: async (call) =>
    await withMesh(call, async ({ db, mesh, setup }) => {
      const { lostAfterMs } = setup.settings;
      const underWay = await listBuildsUnderWay(db, mesh, { now: await readClock(db), lostAfterMs });
      const modules = (await listModules(db, mesh)).map((module) => ({
        ...module,
        ...standByBuild(module.name, module, underWay.get(module.name) ?? null),
      }));
      const now = call.context.now();
      const rows = modules.map((module) => [
        module.name,
        `${module.repository} ${module.branch} ${module.path}`,
        module.sourceCommit?.slice(0, 7) ?? "-",
        module.manifest?.upgrade ?? "-",
        module.standing.replaceAll("-", " "),
        `compared ${describeAge(module.comparedAt, now)}`,
        plainLine(module.standingWhy, 100),
      ]);
      return {
        code: 0,
        document: {
          modules: modules.map(({ manifest, ...module }) => ({ ...module, upgrade: manifest?.upgrade ?? null })),
        },
        text:
          rows.length === 0
            ? "no modules yet\n  next: mesh module add NAME --repo REPOSITORY --path FOLDER"
            : alignColumns([["MODULE", "SOURCE", "COMMIT", "POLICY", "STANDS", "KNOWN", ""], ...rows]),
      };
    }),
};
