import { chmodSync, lstatSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { askSocketName } from "../../src/core/asking.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { mesh } from "../store/open-records.ts";
import { createGitServers } from "../support/git-server.ts";
import { type AskedBed, openAskedBed } from "./asked-bed.ts";

let bed: AskedBed;

beforeEach(async () => {
  bed = await openAskedBed();
  return () => bed.close();
}, 60_000);

async function listen(...options: Parameters<AskedBed["listen"]>): Promise<() => Promise<void>> {
  const watch = await bed.listen(...options);
  onTestFinished(() => watch.stop());
  return () => watch.stop();
}

describe("a dry run that a running controller answers", () => {
  it("is the same bytes as one worked out by the command, whatever the situation (R26, R48)", async () => {
    await listen();
    const expectSame = async (code: number, words: RegExp, ...argv: string[]): Promise<void> => {
      const { asked, alone } = await bed.both(...argv);
      expect([asked.opened, alone.opened]).toEqual([false, true]);
      expect(asked.stdout).toEqual(alone.stdout);
      expect([asked.code, alone.code]).toEqual([code, code]);
      expect(asked.stdout).toMatch(words);
    };
    await expectSame(0, /"mayRebuild":\[\]/);
    await bed.shop.commit({ "page/src/a.test.ts": "export const leaf = 1;\n" });
    await expectSame(1, /"mayRebuild":\[\{"module":"page","why":"page is out of date[^}]+"\}\]/);
    await bed.shop.commit({ "core/src/index.ts": "export const one = 2;\n" });
    await expectSame(1, /"module":"core".*"module":"mid".*"module":"page"/);
    await expectSame(1, /"mayRebuild":\[\{"module":"mid"/, "mid");
    await expectSame(0, /"mayRebuild":\[\]/, "other");
    await bed.shop.commit({ "other/mesh.yaml": "module: [\n" });
    await expectSame(2, /"failing":\[\{"module":"other","kind":"broken"/);
    await bed.compare();
    await bed.plan();
    await expectSame(2, /"failing":\[\{"module":"other","kind":"broken"/);
    await bed.shop.commit({ "mid/src/more.ts": `import "@test/page";\n` });
    await expectSame(2, /its imports go round, mid → page → mid/);
    await bed.shop.remove();
    await expectSame(3, /"cannotTell":\[\{"module":"core"/);
    await expectSame(3, /"failing":\[\]/, "core");
  }, 120_000);

  it("asks a source that hangs for one question no more for the next, and says so (R33)", async () => {
    const servers = await createGitServers();
    vi.stubEnv("GIT_SSL_CAINFO", servers.caFile);
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = await servers.serve(bed.shop.dir);
    onTestFinished(() => server.close());
    await bed.run("repo", "add", "shop", server.url, "--moved");
    await bed.compare();
    await listen({ fetches: { atOnce: 1, patienceMs: 100, lateAtOnce: 1, restLongestMs: 100 } });
    // Each question looks once; whoever asks beyond that is a fetch, and is told nothing.
    const requests = { looks: 0, held: 0 };
    server.misbehave((request) => {
      if (request.url?.includes("info/refs") !== true) return false;
      if (requests.looks > 0) {
        requests.looks -= 1;
        return false;
      }
      requests.held += 1;
      return true;
    });
    await bed.shop.commit({ "core/src/index.ts": "export const one = 2;\n" });
    requests.looks = 1;
    expect((await bed.dryRun("--json")).stdout).toMatch(
      /did not send its commit within 0.1 s, and is still being fetched/,
    );
    await vi.waitFor(() => expect(requests).toEqual({ looks: 0, held: 1 }), 20_000);
    requests.looks = 1;
    const second = await bed.dryRun("--json");
    expect(second.stdout).toMatch(/\.git is still being fetched/);
    expect(second.stdout).toContain('"answeredBy":"controller"');
    expect(requests).toEqual({ looks: 0, held: 1 });
  }, 120_000);

  it("says the same to a person, and on standard error who answered", async () => {
    await listen();
    await bed.shop.commit({ "core/src/index.ts": "export const one = 2;\n" });
    const alone = await bed.dryRun("--alone");
    const asked = await bed.dryRun();
    const parsed = /parsed \d+ files?/;
    expect(asked.stdout.replace(parsed, "")).toBe(alone.stdout.replace(parsed, ""));
    expect(asked.stderr).toBe("  answered by the running controller\n");
    expect(alone.stderr).toBe("  worked out by this process: as --alone asks\n");
    expect(JSON.parse((await bed.dryRun("--json")).stdout)).toMatchObject({ answeredBy: "controller" });
    expect(JSON.parse((await bed.dryRun("--json", "--alone")).stdout)).toMatchObject({ answeredBy: "this process" });
  }, 60_000);

  it("changes no record, and asks by connections that cannot write (R41)", async () => {
    await bed.shop.commit({ "core/src/index.ts": "export const one = 2;\n" });
    const readDb = bed.records.open({ role: "controller", readOnly: true });
    await listen({ readDb });
    const read = async (): Promise<unknown> => {
      const tables = await bed.records.db.query("select tablename as name from pg_tables where schemaname = 'public'");
      const names = (tables.rows as { name: string }[]).map(({ name }) => name).toSorted();
      const rows = names.map((name) => bed.records.db.query(`select t::text from ${name} t order by 1`));
      return (await Promise.all(rows)).map((answer) => answer.rows);
    };
    const before = await read();
    expect((await bed.dryRun()).stderr).toMatch(/answered by the running controller/);
    expect(await read()).toEqual(before);
    await expect(readDb.query("delete from module")).rejects.toThrow();
  }, 60_000);
});

describe("a dry run works by itself", () => {
  const expectAlone = async (why: RegExp, ...argv: string[]): Promise<void> => {
    const ran = await bed.dryRun("--json", ...argv);
    expect(ran.stderr).toMatch(why);
    expect([ran.code, ran.opened]).toEqual([0, true]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ answeredBy: "this process", modules: 4 });
  };

  it("where nobody listens, and where the controller that did is gone", async () => {
    await expectAlone(/worked out by this process: no controller listens here/);
    const stop = await listen();
    await stop();
    await expectAlone(/no controller listens here/);
  }, 60_000);

  it("where the controller is of another mesh, another folder, other code, or went by other settings", async () => {
    const asks = { folder: bed.folder, state: "1:1", setup: "" };
    let stop = await listen({ mesh: "elsewhere" });
    await expectAlone(/answers for mesh elsewhere, not for home/);
    await stop();
    stop = await listen({ asks });
    await expectAlone(/another state folder/);
    await stop();
    stop = await listen();
    writeFileSync(join(bed.state, "settings.json"), "{}");
    await expectAlone(/settings.json was changed since the controller started/);
    await stop();
    stop = await listen();
    expect((await bed.dryRun()).stderr).toMatch(/answered by the running controller/);
    await stop();
  }, 60_000);

  it("where others could have put the socket there", async () => {
    await listen({ everyMs: 60_000 });
    chmodSync(bed.folder, 0o777);
    await expectAlone(/no controller listens here/);
  }, 60_000);

  it("where the controller cannot answer, and then finds what is wrong by itself", async () => {
    await listen();
    const ran = await bed.dryRun("nobody");
    expect([ran.code, ran.stderr]).toEqual([
      2,
      expect.stringMatching(/by this process: .*no module nobody\n.*no module nobody/s),
    ]);
    await bed.records.db.query("delete from build_surroundings");
    const never = await bed.dryRun();
    expect([never.code, never.stderr]).toEqual([2, expect.stringMatching(/no controller has compared anything yet/)]);
  }, 60_000);
});

describe("the place where a controller is asked", () => {
  it("is its own user's alone, and made again where somebody removed it", async () => {
    await listen();
    const socket = join(bed.folder, askSocketName);
    expect([lstatSync(bed.folder).mode & 0o777, lstatSync(socket).mode & 0o777]).toEqual([0o700, 0o600]);
    await rm(bed.folder, { recursive: true });
    await vi.waitFor(async () => expect((await bed.dryRun()).stderr).toMatch(/by the running controller/), 20_000);
  }, 60_000);

  it("goes to whoever listens last, and stays with it when the one before ends", async () => {
    const stop = await listen({ everyMs: 60_000 });
    await listen({ everyMs: 60_000 });
    await stop();
    expect((await bed.dryRun()).stderr).toMatch(/by the running controller/);
  }, 60_000);

  it("opens a condition while it cannot be made, and closes it (R33)", async () => {
    writeFileSync(bed.folder, "");
    const db = bed.records.db;
    const watch = bed.listen();
    const codes = async (): Promise<string[]> => (await listConditions(db, mesh)).map(({ code }) => code);
    await vi.waitFor(async () => expect(await codes()).toContain("asks-not-heard"), 20_000);
    await rm(bed.folder);
    const listening = await watch;
    onTestFinished(() => listening.stop());
    await vi.waitFor(async () => expect(await codes()).not.toContain("asks-not-heard"), 20_000);
  }, 60_000);
});
