import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { askFolderName } from "../core/asking.ts";
import { InputError } from "../core/errors.ts";
import { findJsonPlaces, sayLine } from "../core/json-place.ts";
import { nameSchema } from "../core/names.ts";
import { readPrivateFileIfThere } from "../disk/private-file.ts";
import { postgresFolder, readKeptMajor } from "../embedded/postgres-data.ts";
import type { ServeConfig } from "../worker/serve-config.ts";
import { readLoginAddresses } from "./database-logins.ts";
import { readDatabaseUrl } from "./mesh-connection.ts";
import { certificateFilesOf, type MeshPaths, meshPaths, readMeshSetup } from "./mesh-setup.ts";
import { markSetup } from "./setup-marks.ts";

const webhooksSchema = z.record(
  nameSchema,
  z.strictObject({
    forge: z.enum(["github", "gitlab", "gitea"]),
    repository: nameSchema,
    secrets: z.array(z.string().min(16)).min(1).max(4),
  }),
);

/** Everything `mesh serve` needs, from one state folder. Secrets are read here and handed on, never printed. */
export async function readServeConfig(stateFolder: string): Promise<ServeConfig> {
  // Before the files are read: what they are changed to meanwhile is another mark.
  const { state, setup: setupMark } = await markSetup(stateFolder);
  const setup = await readMeshSetup(stateFolder);
  const paths = meshPaths(stateFolder);
  const logins = await readLoginAddresses(paths);
  return {
    mesh: setup.mesh,
    // A name for this start alone: machines that were copied share their host's name, and containers their process ids.
    holder: `${hostname()}/${process.pid}/${randomBytes(4).toString("hex")}`,
    // Where it has logins of its own, the owner's address is not even read.
    databaseUrl: logins?.controller ?? (await readDatabaseUrl(paths.databaseUrl)),
    databaseLogins: logins,
    temporal: setup.temporal,
    gateway: { ...setup.gateway, ...certificateFilesOf(paths) },
    keys: {
      declarationKeyFile: paths.declarationKey,
      provenanceKeyFile: paths.provenanceKey,
      rootFile: paths.rootDocument,
    },
    folders: {
      artifacts: paths.artifacts,
      repositories: paths.repositories,
      builds: paths.builds,
      cache: paths.cache,
    },
    asks: { folder: join(stateFolder, askFolderName), state, setup: setupMark },
    watchedFolders: await listWatchedFolders(paths),
    webhooks: await readWebhooks(paths.webhooks),
    workflowBundleFile: fileURLToPath(new URL("../../dist/workflow-bundle.js", import.meta.url)),
    ...setup.settings,
  };
}

/** Each may be a mount of its own. PostgreSQL's data is here only where `mesh up` keeps it. */
async function listWatchedFolders(paths: MeshPaths): Promise<readonly string[]> {
  const major = await readKeptMajor(paths.root, postgresFolder);
  const data = major === null ? [] : [join(paths.root, `${postgresFolder}-${major}`)];
  return [
    paths.root,
    ...data,
    paths.temporal,
    paths.artifacts,
    paths.repositories,
    paths.builds,
    paths.cache,
    paths.log,
  ];
}

async function readWebhooks(path: string): Promise<ServeConfig["webhooks"]> {
  // Without the file no webhook was set up: all of them are refused.
  const text = (await readPrivateFileIfThere(path)) ?? "{}";
  const parsed = webhooksSchema.safeParse(parseWithoutCause(text, path));
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join(".") ?? "";
  throw new InputError(`${path}: ${where} is not as expected`, `it holds {"<source>": {forge, repository, secrets}}`);
}

function parseWithoutCause(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The cause would quote the text, which holds secrets.
    const { brokenAt } = findJsonPlaces(text);
    const line = brokenAt === null ? "" : `, ${sayLine(text, brokenAt)}`;
    throw new InputError(`${path}${line}: this is not JSON`, "mend it, or remove it to go without webhooks");
  }
}
