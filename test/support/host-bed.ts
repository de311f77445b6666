import { spawn, type ChildProcess } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import type { Declaration, Secret } from "../../src/core/declaration.ts";
import type { Digest } from "../../src/core/names.ts";
import type { Report, ResourceReport } from "../../src/core/report.ts";
import type { Resource } from "../../src/core/resource.ts";
import { digestValue } from "../../src/decide/digest.ts";
import { compareReports } from "../../src/decide/order-reports.ts";
import { sealDeclaration } from "../../src/link/declaration-envelope.ts";
import { formatEnrolmentToken } from "../../src/link/enrolment-token.ts";
import { generateSigningKey, incarnationOf, type SigningKey } from "../../src/link/keys.ts";
import { createRoot, type Root } from "../../src/link/root.ts";
import { sealSecret } from "../../src/link/sealing.ts";
import { raiseGateway, type Raised } from "../link/support/raise-gateway.ts";

/** A real host process (the bundle it ships as) beside the real gateway, with records in memory. */
export interface HostBed {
  readonly dir: string;
  readonly root: string;
  readonly raised: Raised;
  /** Every report kept, in the order in which they came. */
  readonly reports: Report[];
  /** What the host wrote on stderr. */
  log(): string;
  run(words: readonly string[]): Promise<{ readonly code: number | null; readonly out: string }>;
  start(...words: readonly string[]): void;
  /** Ends the host process and waits for it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  declaration(changes: Partial<Declaration>): Promise<Declaration>;
  /** Signed by the declaration key that the pinned root lists, or by another. */
  envelope(declaration: Declaration, key?: SigningKey): Buffer;
  /** What the host has pinned when it enrolled: one root key, one declaration key. */
  readonly firstRoot: Root;
  readonly rootKey: SigningKey;
  /** Signs and puts it into the mailbox. */
  send(number: number, resources: readonly Resource[], secrets?: readonly Secret[]): Promise<Declaration>;
  /** The first kept report from now on, or the newest, that is so. */
  report(isSo: (report: Report) => boolean, what: string, withinMs?: number): Promise<Report>;
  close(): Promise<void>;
}

let bundled: Promise<string> | null = null;

/** `src/host/main.ts` as one file, made once per test process. */
export function bundleHost(): Promise<string> {
  bundled ??= (async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "mesh-host-bundle-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    const file = path.join(folder, "mesh-host.cjs");
    const external = ["pg-native"];
    const entryPoints = [path.resolve("src/host/main.ts")];
    await build({
      entryPoints,
      bundle: true,
      platform: "node",
      target: "node20",
      format: "cjs",
      external,
      outfile: file,
    });
    return file;
  })();
  return bundled;
}

export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "mesh-host-"));
  await chmod(folder, 0o755);
  return folder;
}

/** Looks until it is so; a bound instead of a sleep. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  what: string,
  withinMs = 10_000,
): Promise<NonNullable<T>> {
  const endMs = performance.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== null && seen !== undefined && seen !== false) return seen;
    if (performance.now() > endMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Enrolled already: `mesh-host enrol` has run against the gateway. */
export async function raiseHostBed(
  options: { readonly dir?: string; readonly program?: string } = {},
): Promise<HostBed> {
  const program = options.program ?? (await bundleHost());
  const dir = options.dir ?? path.join(await makeFolder(), "node-a");
  const raised = await raiseGateway();
  const [rootKey, declarationKey] = [generateSigningKey(), generateSigningKey()];
  const day = 24 * 3600_000;
  const times = { notBefore: iso(Date.now() - day), notAfter: iso(Date.now() + day) };
  const firstRoot: Root = {
    schema: 1,
    mesh: "demo",
    version: 1,
    threshold: 1,
    keys: [
      { publicKey: rootKey.publicKey, roles: ["root"], ...times },
      { publicKey: declarationKey.publicKey, roles: ["declaration"], ...times },
    ],
  };
  raised.records.root = createRoot(firstRoot, [rootKey]);
  const reports: Report[] = [];
  raised.records.keepReport = async (_node, report) => {
    const last = reports.at(-1);
    if (last !== undefined && compareReports(report, last) <= 0) return { outcome: "older", why: "older" };
    reports.push(report);
    return { outcome: "kept" };
  };
  let host: ChildProcess | null = null;
  let log = "";
  const run: HostBed["run"] = (words) =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [program, ...words], { stdio: ["ignore", "pipe", "pipe"] });
      let out = "";
      child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
      child.stderr.on("data", (chunk: Buffer) => (out += chunk.toString()));
      child.once("close", (code) => resolve({ code, out }));
    });
  const secret = randomBytes(32).toString("base64url");
  raised.records.tokens.set(secret, "node-a");
  const tokenFile = path.join(path.dirname(dir), "token");
  const token = { url: raised.url, ca: raised.authority.certPem, mesh: "demo", node: "node-a", secret };
  await writeFile(tokenFile, formatEnrolmentToken(token), { mode: 0o600 });
  const enrolled = await run(["enrol", "--dir", dir, "--token-file", tokenFile]);
  if (enrolled.code !== 0) throw new Error(`not enrolled: ${enrolled.out}`);
  const keys = raised.records.hosts.get("node-a");
  if (keys === undefined) throw new Error("the gateway knows no host");

  const bed: HostBed = {
    dir,
    root: path.join(dir, "root"),
    raised,
    reports,
    log: () => log,
    run,
    start(...words) {
      host = spawn(process.execPath, [program, "run", "--dir", dir, ...words], { stdio: ["ignore", "ignore", "pipe"] });
      host.stderr?.on("data", (chunk: Buffer) => (log += chunk.toString()));
    },
    end: (signal) =>
      new Promise((resolve) => {
        const ending = host;
        host = null;
        if (ending === null || ending.exitCode !== null || ending.signalCode !== null)
          return resolve(ending?.exitCode ?? null);
        ending.once("exit", (code) => resolve(code));
        return ending.kill(signal);
      }),
    async declaration(changes) {
      const content = changes.content ?? { node: "node-a", builds: {}, resources: [] };
      return {
        schema: 1,
        mesh: "demo",
        node: "node-a",
        incarnation: incarnationOf(keys.sign),
        epoch: 1,
        number: 1,
        issuedAt: iso(Date.now()),
        staleAfter: iso(Date.now() + day),
        digest: digestValue(content),
        content,
        sealed: [],
        ...changes,
      };
    },
    firstRoot,
    rootKey,
    envelope: (declaration, key = declarationKey) => sealDeclaration(declaration, [key]),
    async send(number, resources, secrets = []) {
      const sorted = resources.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const sealed = await Promise.all(
        secrets.map(async (each) => {
          const { provision, version } = each;
          return { provision, version, box: await sealSecret(each, keys.seal) };
        }),
      );
      const content = { node: "node-a", builds: {}, resources: sorted };
      const declaration = await bed.declaration({ number, content, sealed });
      raised.records.send("node-a", { epoch: 1, number }, bed.envelope(declaration));
      return declaration;
    },
    report: async (isSo, what, withinMs) => {
      try {
        return await eventually(() => reports.findLast(isSo), what, withinMs);
      } catch (error) {
        throw new Error(`${String(error)}\n${JSON.stringify(reports.at(-1), null, 1)}\n${log}`, { cause: error });
      }
    },
    async close() {
      await bed.end("SIGTERM");
      await run(["stop", "--dir", dir]);
      await raised.close();
      await rm(path.dirname(dir), { recursive: true, force: true });
    },
  };
  return bed;
}

export function resourceOf(report: Report, id: string): ResourceReport | undefined {
  return report.resources.find((resource) => resource.id === id);
}

export function textFile(name: string, text: string, changes: Partial<Resource> = {}): Resource {
  const base = { id: `file/web/${name}`, module: "web", after: [], kind: "file", path: `etc/web/${name}` };
  return { ...base, mode: "644", owner: "service", content: { from: "text", text }, ...changes } as Resource;
}

/** A tar of these files as an artifact resource, its blob with the gateway. */
export function putArtifact(bed: HostBed, packed: { digest: Digest; tar: Buffer }): Resource {
  const blob: Digest = `sha256:${createHash("sha256").update(packed.tar).digest("hex")}`;
  bed.raised.records.blobs.set(blob, packed.tar);
  const base = { id: "artifact/web/files", module: "web", after: [] };
  return { ...base, kind: "artifact", digest: packed.digest, blob, blobBytes: packed.tar.length };
}

export function service(artifact: Digest, changes: object = {}): Resource {
  return {
    id: "service/web/main",
    module: "web",
    after: ["artifact/web/files"],
    kind: "service",
    artifact,
    command: ["node", "${artifact}/main.js"],
    env: {},
    restartOn: [],
    presence: [],
    ...changes,
  };
}

export function readText(file: string): Promise<string> {
  return readFile(file, "utf8");
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
