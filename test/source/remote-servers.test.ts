import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { UnavailableError } from "../../src/core/errors.ts";
import { probeRepository } from "../../src/source/ask-remote.ts";
import { openRepository } from "../../src/source/open-repository.ts";
import type { Repository } from "../../src/source/repository.ts";
import { createGitRepository, type GitRepository } from "../support/git-repository.ts";
import { createGitServers, type GitServer, type GitServers } from "../support/git-server.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const token = "t0ken-that-nobody-may-see";
let origin: GitRepository;
let servers: GitServers;
let server: GitServer;
let tip: string;

beforeEach(async () => {
  origin = await createGitRepository();
  onTestFinished(() => origin.remove());
  tip = await origin.commit({ a: "1" });
  servers = await createGitServers();
  vi.stubEnv("GIT_SSL_CAINFO", servers.caFile);
  server = await serve();
});

afterEach(() => {
  vi.unstubAllEnvs();
});

async function serve(): Promise<GitServer> {
  const started = await servers.serve(origin.dir);
  onTestFinished(() => started.close());
  return started;
}

async function open(url: string, tokenFile?: string): Promise<Repository> {
  return openRepository({
    url,
    dir: join(await createTemporaryFolder(), "clone.git"),
    ...(tokenFile === undefined ? {} : { credentials: { [server.host]: { tokenFile, user: "x-access-token" } } }),
  });
}

async function writeToken(mode = 0o600): Promise<string> {
  const path = join(await createTemporaryFolder(), "token");
  await writeFile(path, `${token}\n`);
  await chmod(path, mode);
  return path;
}

async function messageOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UnavailableError);
  return String(error);
}

/** What the token looks like on its way. */
const basic = `Basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`;

describe("a private repository over https", () => {
  beforeEach(() => {
    server.misbehave((request, response) => {
      if (request.headers.authorization === basic) return false;
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return true;
    });
  });

  it("is looked at and fetched from with the token of its host", async () => {
    const clone = await open(server.url, await writeToken());
    expect(await clone.lookAtHeads(["main"])).toEqual(new Map([["main", tip]]));
    await clone.fetchCommits([{ branch: "main", commit: tip }]);
    expect(await clone.hasObject(tip)).toBe(true);
    expect(new Set(server.authorizations)).toEqual(new Set([basic]));
    await probeRepository(server.url, 10_000, {
      [server.host]: { tokenFile: await writeToken(), user: "x-access-token" },
    });
  });

  it("does not answer without it, and nobody is asked at a terminal", async () => {
    expect(await messageOf((await open(server.url)).lookAtHeads(["main"]))).toMatch(/did not answer/);
  });

  it("that is named after a redirect, or speaks of one, is not said to have moved where the token is wrong (case 4)", async () => {
    server.misbehave((_request, response) => {
      response
        .writeHead(403, { "content-type": "text/plain" })
        .end("The requested URL returned error: 302, a redirect\n");
      return true;
    });
    const named = `${server.origin}/redirect-service.git`;
    const message = await messageOf((await open(named)).lookAtHeads(["main"]));
    expect(message).toMatch(/redirect-service\.git did not answer/);
    expect(message).not.toMatch(/names another address/);
  });

  it("keeps the token out of messages and out of the clone", async () => {
    const clone = await open(server.url, await writeToken());
    server.misbehave((_request, response) => {
      response.writeHead(403).end("no");
      return true;
    });
    const message = await messageOf(clone.lookAtHeads(["main"]));
    expect(message).not.toContain(token);
    expect(message).not.toContain(basic);
  });

  it("is not asked where others can read the token's file, or it is not there", async () => {
    expect(await messageOf((await open(server.url, await writeToken(0o644))).lookAtHeads(["main"]))).toMatch(
      /others may read the secret/,
    );
    expect(await messageOf((await open(server.url, "/nowhere/token")).lookAtHeads(["main"]))).toMatch(/cannot be read/);
    expect(server.paths).toEqual([]);
  });
});

describe("another host", () => {
  it("never gets the token: not by another port, and not by a redirect (case 54)", async () => {
    const other = await serve();
    const tokenFile = await writeToken();
    expect(await (await open(other.url, tokenFile)).lookAtHeads(["main"])).toEqual(new Map([["main", tip]]));
    expect(other.authorizations.filter((header) => header !== undefined)).toEqual([]);
    const asked = other.paths.length;
    server.misbehave((request, response) => {
      response.writeHead(302, { location: `${other.origin}${request.url ?? ""}` }).end();
      return true;
    });
    expect(await messageOf((await open(server.url, tokenFile)).lookAtHeads(["main"]))).toMatch(/did not answer/);
    expect(other.paths.length).toBe(asked);
  });

  it("is not asked when a source moves in the middle of a fetch: that it moved is said, and what to do (case 54)", async () => {
    const other = await serve();
    const clone = await open(server.url);
    let requests = 0;
    server.misbehave((request, response) => {
      requests += 1;
      if (requests === 1) return false;
      response.writeHead(307, { location: `${other.origin}${request.url ?? ""}` }).end();
      return true;
    });
    expect(await messageOf(clone.fetchCommits([{ branch: "main", commit: tip }]))).toMatch(
      /names another address, which is not followed \(mesh repo add NAME URL --moved\)/,
    );
    expect(requests).toBeGreaterThan(1);
    expect(other.paths).toEqual([]);
    server.misbehave(null);
    await clone.fetchCommits([{ branch: "main", commit: tip }]);
    expect(await clone.hasObject(tip)).toBe(true);
  });
});

describe("a server that does not answer as it should (R26, case 4)", () => {
  it("is stopped when it hangs", async () => {
    server.misbehave(() => true);
    expect(await messageOf(probeRepository(server.url, 1_500))).toMatch(/was stopped after 1500 ms/);
  });

  it.each(["<html>moved</html>", "0000", "001e# service=git-upload-pack\nzzzz", "\0\0\0\0"])(
    "is said when it answers %j",
    async (text) => {
      server.misbehave((_request, response) => {
        response.writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" }).end(text);
        return true;
      });
      const looked = (await open(server.url)).lookAtHeads(["main"]);
      // An answer without any branch is an answer: then there is no such branch. It is never a tip.
      await looked.then(
        (heads) => expect(heads).toEqual(new Map([["main", null]])),
        (error: unknown) => expect(error).toBeInstanceOf(UnavailableError),
      );
    },
  );

  it("is said when it advertises a commit that it does not have", async () => {
    const clone = await open(server.url);
    const gone = "0123456789012345678901234567890123456789";
    expect(await messageOf(clone.fetchCommits([{ branch: "main", commit: gone }]))).toMatch(/has no commit 0123456/);
  });
});

describe("a server that hands out branches only", () => {
  it("is fetched from where a followed branch ends and a folder of that name begins (case 52)", async () => {
    // Without the second version of git's protocol only tips can be asked for by their ids.
    server.misbehave((request) => {
      delete request.headers["git-protocol"];
      return false;
    });
    const clone = await open(server.url);
    await origin.git("branch", "release");
    await origin.commit({ a: "2" });
    await origin.git("branch", "--force", "release");
    await clone.fetchCommits([{ branch: "release", commit: tip }]);
    await origin.git("branch", "-D", "release");
    const before = await origin.commit({ a: "3" });
    await origin.commit({ a: "4" });
    await origin.git("branch", "release/1");
    await clone.fetchCommits([{ branch: "release/1", commit: before }]);
    expect(await clone.hasObject(tip)).toBe(true);
    expect(await clone.hasObject(before)).toBe(true);
  });
});

describe("names of refs", () => {
  it("a tag of the same name is not the branch, and an unborn branch is none (case 52)", async () => {
    await origin.commit({ a: "2" });
    await origin.git("tag", "main", tip);
    await origin.git("tag", "only-a-tag");
    const heads = await (await open(server.url)).lookAtHeads(["main", "only-a-tag"]);
    expect(heads.get("main")).toBe(await origin.git("rev-parse", "refs/heads/main"));
    expect(heads.get("only-a-tag")).toBeNull();
    const empty = await createGitRepository();
    onTestFinished(() => empty.remove());
    expect(await (await open(empty.dir)).lookAtHeads(["main"])).toEqual(new Map([["main", null]]));
  });

  it("are asked for once, however many branches are followed, among tens of thousands of refs", async () => {
    const refs = Array.from({ length: 20_000 }, (_, at) => `${tip} refs/heads/b${at}`).toSorted();
    await writeFile(
      join(origin.dir, ".git/packed-refs"),
      `# pack-refs with: peeled fully-peeled sorted\n${refs.join("\n")}\n`,
    );
    const followed = Array.from({ length: 1_000 }, (_, at) => `b${at}`);
    const heads = await (await open(server.url)).lookAtHeads(followed);
    expect(new Set(heads.values())).toEqual(new Set([tip]));
    expect(server.paths.filter((path) => path.includes("/info/refs"))).toHaveLength(1);
  });

  it("are read up to a limit, which is named (R26)", async () => {
    for (let at = 0; at < 50; at += 1) await origin.git("branch", `b${at}`);
    const dir = join(await createTemporaryFolder(), "clone.git");
    const clone = await openRepository({ url: server.url, dir, lookBytes: 1_000 });
    const followed = Array.from({ length: 300 }, (_, at) => `b${at}`);
    expect(await messageOf(clone.lookAtHeads(followed))).toMatch(/was stopped: it printed more than 1000 bytes/);
    expect(await clone.lookAtHeads(["b7"])).toEqual(new Map([["b7", tip]]));
  });
});
