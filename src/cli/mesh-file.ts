import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { nameSchema } from "../core/names.ts";
import { meshFileName } from "./find-mesh.ts";

const portSchema = z.number().int().min(1).max(65535);

/** `mesh.json` of a state folder: how the parts of this mesh are reached. No secret is in it. */
export const meshFileSchema = z.object({
  schema: z.literal(1),
  mesh: nameSchema,
  temporal: z.object({
    address: z.string().max(300),
    namespace: z.string().max(200),
    /** Null where the server was given (TEMPORAL_ADDRESS) and nobody said where its UI is. */
    ui: z.url({ protocol: /^https?$/ }).nullable(),
  }),
  gateway: z.object({ host: z.string().max(253), port: portSchema }),
  /** Ports and folders of the examples, chosen once and kept. Empty for a mesh without them. */
  examples: z.object({ meshboardPort: portSchema, postgresPort: portSchema }).nullable().default(null),
  settings: z
    .object({
      pollIntervalMs: z.number().int().min(200).default(5_000),
      staleAfterMs: z
        .number()
        .int()
        .min(1_000)
        .default(24 * 3_600_000),
      silentAfterMs: z.number().int().min(1_000).default(90_000),
      buildSlots: z.number().int().min(1).max(256).default(2),
      unsafeWithoutSandbox: z.boolean().default(false),
      passwordPrefix: z.string().max(32).default(""),
      logLevel: z.enum(["debug", "info", "warn", "error"]).default("info"),
    })
    .prefault({}),
});
export type MeshFile = z.infer<typeof meshFileSchema>;

/** Reads and checks `mesh.json`. Throws InputError that names the file and what is wrong in it. */
export async function readMeshFile(stateFolder: string): Promise<MeshFile> {
  const path = join(stateFolder, meshFileName);
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw new InputError(`${path} cannot be read as JSON`, "mesh up makes it anew when it is moved away", { cause });
  }
  const parsed = meshFileSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new InputError(`${path}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? "is not as expected"}`);
}

/** Where things are inside a state folder. Folders and files under `secrets` are 0700 and 0600. */
export function statePaths(stateFolder: string) {
  const secrets = join(stateFolder, "secrets");
  return {
    meshFile: join(stateFolder, meshFileName),
    secrets,
    databaseUrl: join(secrets, "database-url"),
    declarationKey: join(secrets, "declaration-key.pem"),
    rootKey: join(secrets, "root-key.pem"),
    authorityKey: join(secrets, "authority-key.pem"),
    gatewayKey: join(secrets, "gateway-key.pem"),
    webhooks: join(secrets, "webhooks.json"),
    keys: join(stateFolder, "keys"),
    root: join(stateFolder, "keys", "root.dsse"),
    authority: join(stateFolder, "keys", "authority.pem"),
    gatewayCertificate: join(stateFolder, "keys", "gateway.pem"),
    artifacts: join(stateFolder, "artifacts"),
    repositories: join(stateFolder, "repositories"),
    builds: join(stateFolder, "builds"),
    cache: join(stateFolder, "cache"),
    origin: join(stateFolder, "origin"),
    work: join(stateFolder, "work"),
    hosts: join(stateFolder, "hosts"),
    log: join(stateFolder, "log"),
    run: join(stateFolder, "run"),
  } as const;
}
export type StatePaths = ReturnType<typeof statePaths>;
