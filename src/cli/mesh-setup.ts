import { availableParallelism } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { stepMsLimit } from "../core/build-time.ts";
import { nameSchema } from "../core/names.ts";
import { listPaths, type StatePaths } from "../embedded/state-folder.ts";
import type { CertificateFiles } from "../link/gateway-certificate.ts";
import type { LoginRole } from "../store/writers/login.ts";
import { gatewayAddressSchema, listenSchema } from "./gateway-address.ts";
import { meshFileName } from "./find-mesh.ts";
import { readStateJson } from "./read-state-json.ts";

const registrySchema = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .refine((url) => !url.includes("@"), "no password in it: it would be seen in logs")
  .transform((url) => (url.endsWith("/") ? url : `${url}/`))
  .exactOptional();
const mebibyte = 1024 ** 2;

/** `settings.json` of a state folder: a person may write it; every value has a default. */
const settingsSchema = z.strictObject({
  /** The one address of this machine under which hosts reach the controller; the gateway's certificate names it. */
  listen: listenSchema.default("127.0.0.1"),
  /** How often sources are asked for their tips. */
  pollIntervalMs: z.number().int().min(200).max(3_600_000).default(3_000),
  /** How long a declaration counts as fresh. */
  staleAfterMs: z
    .number()
    .int()
    .min(1_000)
    .default(24 * 3_600_000),
  /** A host that said nothing for longer is *silent*. */
  silentAfterMs: z.number().int().min(1_000).default(90_000),
  /** Builds at a time on this machine; each machine that builds has its own. */
  buildSlots: z.number().int().min(1).max(256).default(availableParallelism()),
  /** A build that nobody reported on for this long is lost: longer than its beats, shorter than a person's patience. */
  lostAfterMs: z.number().int().min(30_000).max(3_600_000).default(120_000),
  /** Behind for so long without a verdict, a module has newer commits of what it is built against wait for it. */
  starvedAfterMs: z.number().int().min(1_000).max(86_400_000).default(60_000),
  /** The largest clone of one repository; past it nothing of it is fetched. Left out: 4 GiB. */
  cloneBytes: z
    .number()
    .int()
    .min(mebibyte)
    .max(1024 * 1024 * mebibyte)
    .exactOptional(),
  /** Repositories whose modules may be built without a sandbox where there is none; true: all of them. */
  unsafeWithoutSandbox: z.union([z.boolean(), z.array(nameSchema).max(1_000)]).default(false),
  /** Tokens for private https repositories, by the exact host (and port) of their address. */
  credentials: z
    .record(
      z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,252}[a-z0-9])?(:\d{1,5})?$/, "a host, or host:port, in lower case"),
      z.strictObject({
        tokenFile: z.string().startsWith("/", "an absolute path").max(1_000),
        user: z
          .string()
          .regex(/^[\x21-\x39\x3b-\x7e]{1,200}$/, "no colon, no spaces")
          .default("x-access-token"),
      }),
    )
    .default({}),
  /** Where third-party packages come from, instead of the public registries. */
  registries: z
    .strictObject({ npm: registrySchema, go: registrySchema, pypi: registrySchema, crates: registrySchema })
    .exactOptional(),
  /** What one step of a build may use, instead of the defaults. */
  buildLimits: z
    .strictObject({
      wallMs: z.number().int().min(1_000).max(stepMsLimit).exactOptional(),
      memoryBytes: z
        .number()
        .int()
        .min(64 * mebibyte)
        .exactOptional(),
      processes: z.number().int().min(16).max(65_536).exactOptional(),
      cpus: z.number().min(0.1).max(1_024).exactOptional(),
      outputBytes: z
        .number()
        .int()
        .min(1_000)
        .max(1024 * mebibyte)
        .exactOptional(),
      diskBytes: z.number().int().min(mebibyte).exactOptional(),
    })
    .exactOptional(),
  /** How long, and how much at most, of what builds leave behind is kept; what is needed stays whatever it takes. */
  leftovers: z
    .strictObject({
      logDays: z.number().min(1).max(3_650).exactOptional(),
      logBytes: z.number().int().min(mebibyte).exactOptional(),
      cacheDays: z.number().min(1).max(3_650).exactOptional(),
      cacheBytes: z.number().int().min(mebibyte).exactOptional(),
    })
    .exactOptional(),
  /** How long records of what was are kept, and how many of the last ones whatever their age. */
  history: z
    .strictObject({
      days: z.number().min(1).max(36_500).exactOptional(),
      last: z.number().int().min(1).max(1_000).exactOptional(),
    })
    .exactOptional(),
  passwordPrefix: z.string().max(32).default(""),
  logLevel: z.enum(["debug", "info", "warn", "error"]).default("info"),
});
export type MeshSettings = z.infer<typeof settingsSchema>;

/** `mesh.json`: how the parts of one mesh are reached. Written by `mesh up`; no secret is in it. */
const meshFileSchema = z.object({
  schema: z.literal(1),
  mesh: nameSchema,
  temporal: z.object({
    address: z.string().max(300),
    namespace: z.string().max(200),
    /** Null where the server was given (TEMPORAL_ADDRESS) and nobody said where its UI is. */
    ui: z.url({ protocol: /^https?$/ }).nullable(),
    /** Where it is said how a server that was given is reached; else it is one of our own. A path and a name, no secret. */
    given: z.object({ configFile: z.string().max(4096).nullable(), profile: z.string().max(200).nullable() }).nullish(),
  }),
  /** Where hosts reach the controller. */
  gateway: gatewayAddressSchema,
  /** Whether a process takes its role in the database (R41). False where its user may not make roles. */
  databaseRoles: z.boolean().default(false),
});
export type MeshFile = z.infer<typeof meshFileSchema>;

export interface MeshSetup extends Omit<MeshFile, "schema"> {
  readonly settings: MeshSettings;
}

/** What else is there while a file of the state folder cannot be read: said with each. */
const goesOn = "what runs goes on with what it read when it started";

/** Reads `mesh.json` and `settings.json`. Throws InputError that names the file, the line, and what is wrong in it. */
export async function readMeshSetup(stateFolder: string): Promise<MeshSetup> {
  const { schema: _schema, ...file } = await readMeshFile(join(stateFolder, meshFileName));
  return { ...file, settings: await readSettings(join(stateFolder, "settings.json")) };
}

/** `mesh.json` alone. Throws as the above. */
export async function readMeshFile(path: string): Promise<MeshFile> {
  const next = `move it away: mesh up writes it anew; ${goesOn}`;
  return await readStateJson(path, meshFileSchema, { missing: undefined, next });
}

/** Defaults where there is no such file. */
export async function readSettings(path: string): Promise<MeshSettings> {
  const next = `mend it, or move it away for the defaults; ${goesOn}`;
  return await readStateJson(path, settingsSchema, { missing: {}, next });
}

/** Where things are in a state folder. What is under `secrets` is 0600 in a folder of 0700. */
export interface MeshPaths extends StatePaths {
  readonly meshFile: string;
  /** The owner's. */
  readonly databaseUrl: string;
  /** Names and passwords of the controller's own logins. */
  readonly databaseLogins: string;
  /** Their addresses, each once its login was let in. */
  readonly loginAddresses: Readonly<Record<LoginRole, string>>;
  readonly declarationKey: string;
  readonly provenanceKey: string;
  readonly rootKey: string;
  readonly authorityKey: string;
  readonly gatewayKey: string;
  readonly webhooks: string;
  readonly settings: string;
  readonly rootDocument: string;
  readonly authority: string;
  readonly gatewayCertificate: string;
  readonly builds: string;
  readonly cache: string;
}

export function meshPaths(stateFolder: string): MeshPaths {
  const paths = listPaths(stateFolder);
  const keys = join(stateFolder, "keys");
  return {
    ...paths,
    meshFile: join(stateFolder, meshFileName),
    databaseUrl: join(paths.secrets, "database-url"),
    databaseLogins: join(paths.secrets, "database-logins.json"),
    loginAddresses: {
      controller: join(paths.secrets, "database-url-controller"),
      gateway: join(paths.secrets, "database-url-gateway"),
      builder: join(paths.secrets, "database-url-builder"),
    },
    declarationKey: join(paths.secrets, "declaration-key.pem"),
    provenanceKey: join(paths.secrets, "provenance-key.pem"),
    rootKey: join(paths.secrets, "root-key.pem"),
    authorityKey: join(paths.secrets, "authority-key.pem"),
    gatewayKey: join(paths.secrets, "gateway-key.pem"),
    webhooks: join(paths.secrets, "webhooks.json"),
    settings: join(stateFolder, "settings.json"),
    rootDocument: join(keys, "root.dsse"),
    authority: join(keys, "authority.pem"),
    gatewayCertificate: join(keys, "gateway.pem"),
    builds: join(stateFolder, "builds"),
    cache: join(stateFolder, "cache"),
  };
}

export function certificateFilesOf(paths: MeshPaths): CertificateFiles {
  return {
    certificateFile: paths.gatewayCertificate,
    certificateKeyFile: paths.gatewayKey,
    authorityFile: paths.authority,
    authorityKeyFile: paths.authorityKey,
  };
}
