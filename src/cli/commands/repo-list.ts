import type { CommandDefinition } from "../command.ts";
import { listRepositories } from "../../store/repositories.ts";
import { listHeads } from "../../store/source-heads.ts";
import { groupBy } from "../../decide/group-by.ts";
import { describeAge } from "../text/ages.ts";
import { alignColumns } from "../text/columns.ts";
import { plainLine } from "../text/plain.ts";
import { withMesh } from "../with-mesh.ts";

export const repoListCommand: CommandDefinition = {
  configure: () => {},
  run: async (call) =>
    await withMesh(call, async ({ db, mesh }) => {
      const repositories = await listRepositories(db, mesh);
      const heads = groupBy(await listHeads(db, mesh), (head) => head.repository);
      const now = call.context.now();
      const rows = repositories.flatMap((repository) => {
        const own = heads.get(repository.name) ?? [];
        if (own.length === 0)
          return [[repository.name, plainLine(repository.url, 120), "-", "no module follows it", ""]];
        return own.map((head) => [
          repository.name,
          plainLine(repository.url, 120),
          head.branch,
          head.commit?.slice(0, 7) ?? "-",
          head.failure === null
            ? `looked at ${describeAge(head.lookedAt, now)}`
            : `not seen since ${describeAge(head.failingSince, now)}: ${plainLine(head.failure, 120)}`,
        ]);
      });
      return {
        code: 0,
        document: {
          repositories: repositories.map((repository) => ({
            ...repository,
            heads: heads.get(repository.name) ?? [],
          })),
        },
        text:
          rows.length === 0
            ? "no repositories yet\n  next: mesh repo add NAME URL"
            : alignColumns([["REPOSITORY", "URL", "BRANCH", "TIP", "KNOWN"], ...rows]),
      };
    }),
};
