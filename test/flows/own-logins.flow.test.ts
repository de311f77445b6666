import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { certificateFilesOf, meshPaths, type MeshPaths } from "../../src/cli/mesh-setup.ts";
import { issueServerCertificate, lifeOf } from "../../src/link/certificate-authority.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { listSends } from "../../src/store/declarations.ts";
import { loginRoles } from "../../src/store/writers/login.ts";
import { seedAssignment, seedBuild, seedNodes } from "./support/seed-mesh.ts";
import { openServedMesh, type ServedMesh } from "./support/served-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

const timeout = 300_000;
const dayMs = 86_400_000;
let served: ServedMesh;

beforeEach(async () => {
  served = await openServedMesh();
  await seedNodes(served, ["node-a"]);
  await seedBuild(served, "app", 1);
  await seedAssignment(served, "node-a", "app");
});
afterEach(() => served.close());

async function openConditions(): Promise<string[]> {
  return (await listConditions(served.db, served.mesh)).map(({ code }) => code);
}

/** Who is connected from processes of the mesh, the test's own pool left out. */
async function listUsers(): Promise<string[]> {
  const { rows } = await served.db.query(
    `select distinct regexp_replace(usename, '_[0-9a-f]{12}$', '') as name from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name <> 'served-flow' order by 1`,
  );
  return (rows as { readonly name: string }[]).map(({ name }) => name);
}

async function putOldCertificate(paths: MeshPaths): Promise<void> {
  const { authorityFile, authorityKeyFile } = certificateFilesOf(paths);
  const authority = {
    certPem: await readFile(authorityFile, "utf8"),
    keyPem: await readFile(authorityKeyFile, "utf8"),
  };
  const subjects = { names: ["localhost"], addresses: ["127.0.0.1"] };
  const old = await issueServerCertificate(authority, { ...subjects, nowMs: Date.now() - 65 * dayMs });
  await writeFile(paths.gatewayKey, old.keyPem, { mode: 0o600 });
  await writeFile(paths.gatewayCertificate, old.certPem);
}

it(
  "a controller without the owner's address delivers and hears by logins that own nothing (R41)",
  { timeout },
  async () => {
    const paths = meshPaths(served.state);
    await rename(paths.databaseUrl, `${paths.databaseUrl}.away`);
    const controller = served.startController();
    await controller.hears('"ready"', 120_000);
    expect(await listUsers()).toEqual(["mesh_builder", "mesh_controller", "mesh_gateway"]);
    // One that ends in 25 days, as after two months: it is replaced in the process that runs, for what follows to go over.
    await putOldCertificate(paths);
    // A person's command has it.
    await rename(`${paths.databaseUrl}.away`, paths.databaseUrl);
    const push = served.startShell("push", "node-a", "--no-wait");
    expect(await push.ended(), push.output()).not.toBe(2);
    const sent = async (): Promise<boolean> => (await listSends(served.db, served.mesh, "node-a", 10)).length === 1;
    await waitUntil("node-a is told", sent, 120_000);
    await controller.hears("the gateway uses a new certificate", 90_000);
    expect(lifeOf(await readFile(paths.gatewayCertificate, "utf8")).endsMs).toBeGreaterThan(Date.now() + 80 * dayMs);
    expect(controller.output()).not.toMatch(/permission denied|does not allow|logs in as the owner/);
    expect(await openConditions()).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/records-refuse|not-pruned|listener-lost|as-owner|roles-missing/)]),
    );
    expect(await controller.end("SIGTERM")).toBe(0);
  },
);

it(
  "a controller that has no logins goes in as the owner, and says so in its log and in status",
  { timeout },
  async () => {
    const paths = meshPaths(served.state);
    for (const role of loginRoles) await rm(paths.loginAddresses[role]);
    const controller = served.startController();
    await controller.hears("this controller logs in as the owner of the tables", 120_000);
    await controller.hears('"ready"', 120_000);
    expect(await openConditions()).toContain("controller-as-owner");
    expect(await controller.end("SIGTERM")).toBe(0);
  },
);
