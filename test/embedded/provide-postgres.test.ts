import { expect, it } from "vitest";
import { chooseFreePort } from "../../src/embedded/ports.ts";
import { providePostgres } from "../../src/embedded/provide-postgres.ts";
import { listPaths } from "../../src/embedded/state-folder.ts";

const { signal } = new AbortController();

const provide = (url: string): Promise<unknown> =>
  providePostgres({
    env: { DATABASE_URL: url },
    paths: listPaths("/nowhere"),
    port: 1,
    signal,
    progress: () => undefined,
  });

it("says so when the named server does not answer, without its password", async () => {
  const port = await chooseFreePort();
  const failure = provide(`postgresql://mesh:canary@127.0.0.1:${port}/mesh`);
  await expect(failure).rejects.toThrow(`no PostgreSQL answers at 127.0.0.1:${port} (DATABASE_URL)`);
  await expect(failure).rejects.not.toThrow(/canary/);
});

it.each(["mysql://127.0.0.1/mesh", "not an address"])("refuses DATABASE_URL=%s", async (url) => {
  await expect(provide(url)).rejects.toThrow(/DATABASE_URL is no postgresql/);
});
