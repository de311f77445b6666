import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { MeshConnection } from "../../src/cli/mesh-connection.ts";

export interface StatementCounter {
  /** How many statements each application has sent since the counting began. */
  read(): Promise<ReadonlyMap<string, number>>;
}

/**
 * The server itself writes every statement that is executed into its log, with who sent it; BEGIN, COMMIT and SET count
 * as statements too. Works on the mesh's own server, whose superuser we are.
 */
export async function countStatements({ db, paths }: MeshConnection): Promise<StatementCounter> {
  const logFile = join(paths.log, "postgres.log");
  await db.query("alter system set log_line_prefix = 'app=%a|'");
  await db.query("alter system set log_statement = 'all'");
  await db.query("select pg_reload_conf()");
  await db.query("select pg_sleep(0.5)");
  const { size: from } = await stat(logFile);
  return {
    async read() {
      const counts = new Map<string, number>();
      const text = (await readFile(logFile)).subarray(from).toString("utf8");
      for (const [, application = ""] of text.matchAll(/^app=([^|]*)\|LOG: {2}(?:execute|statement)/gm))
        counts.set(application, (counts.get(application) ?? 0) + 1);
      return counts;
    },
  };
}
