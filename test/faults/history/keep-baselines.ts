import pg from "pg";

/**
 * The records forget a push's baseline when it ends. A trigger keeps a copy in the very commit that writes it, in a schema
 * of this run's own that no program looks at: what a push should have left alone can be asked afterwards.
 */
export async function keepBaselines(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`
      create schema faults;
      create table faults.baseline (push text not null, node text not null, digest text);
      create function faults.keep_baseline() returns trigger language plpgsql security definer as
        $$ begin insert into faults.baseline values (new.push, new.node, new.digest); return null; end $$;
      create trigger keep after insert on public.push_baseline
        for each row execute function faults.keep_baseline();`);
  } finally {
    await client.end();
  }
}
