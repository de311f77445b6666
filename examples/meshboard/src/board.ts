import pg from "pg";
import { backoffMs, type Row } from "@example/core";

/** What the pages need of the database; a test gives its own. */
export interface Board {
  /** Newest first, at most `limit`. */
  listRows(limit: number): Promise<readonly Row[]>;
  addRow(text: string): Promise<void>;
  /** Resolves when the database answers and holds the table. */
  ping(): Promise<void>;
}

export function createBoard(pool: pg.Pool): Board {
  return {
    async listRows(limit) {
      const result = await pool.query<{ id: number; text: string; written_at: Date }>(
        "select id, text, written_at from board_row order by id desc limit $1",
        [limit],
      );
      return result.rows.map((row) => ({ id: row.id, text: row.text, writtenAt: row.written_at }));
    },
    async addRow(text) {
      await pool.query("insert into board_row (text) values ($1)", [text]);
    },
    async ping() {
      await pool.query("select 1 from board_row limit 1");
    },
  };
}

/** Makes the table, trying again until the database is there: it may be minted while this service starts. */
export async function prepareTable(pool: pg.Pool, say: (line: string) => void): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await pool.query(
        "create table if not exists board_row (id integer generated always as identity primary key, text text not null, written_at timestamptz not null default now())",
      );
      const { rows } = await pool.query<{ none: boolean }>("select not exists (select from board_row) as none");
      if (rows[0]?.none)
        await pool.query("insert into board_row (text) values ($1)", [
          "The first row, written when this database was made.",
        ]);
      return;
    } catch (error) {
      const waitMs = backoffMs(attempt, Math.random());
      say(
        `the database does not answer yet (${error instanceof Error ? error.message : String(error)}); trying again in ${waitMs} ms`,
      );
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}
