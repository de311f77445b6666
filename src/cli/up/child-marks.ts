import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { whenThere } from "../../core/errors.ts";
import { readPrivateFileIfThere } from "../../disk/private-file.ts";
import type { Marks } from "../../embedded/pid-file.ts";
import { hashCode } from "../../source/hash-code.ts";
import { hostProgramFile } from "../host-program.ts";
import type { UpParts } from "./up-plan.ts";

/** All that a controller loads, at its start or later: an update replaces it under one that runs. */
const controllerLayers = "activities build cli core decide disk embedded link source store worker workflows".split(" ");

/** The controller's code: by its bytes, the packages under it, and the Node that runs it. */
export async function readCodeMark(): Promise<string> {
  const lock = fileURLToPath(new URL("../../../package-lock.json", import.meta.url));
  return digest([process.version, hashCode(controllerLayers, 64), (await readIfThere(lock)) ?? ""]);
}

/**
 * What a controller takes up at its start: its code, and what `readServeConfig` reads. The gateway's certificate is none of it:
 * that is renewed while it runs. The declaration key is, so that nobody finds out a password by guessing at the digest.
 */
export async function readControllerMarks({ paths, env }: Pick<UpParts, "paths" | "env">): Promise<Marks> {
  const open = [paths.meshFile, paths.settings, paths.rootDocument];
  const secret = [paths.declarationKey, paths.provenanceKey, paths.webhooks, paths.databaseUrl];
  const logins = Object.values(paths.loginAddresses);
  const texts = [
    ...(await Promise.all(open.map(readIfThere))),
    ...(await Promise.all([...secret, ...logins].map(readPrivateFileIfThere))),
  ];
  const temporal = Object.entries(env)
    .filter(([name]) => name.startsWith("TEMPORAL_"))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { code: await readCodeMark(), "settings or keys": digest([...texts, JSON.stringify(temporal)]) };
}

/** The one file that a host is, and where it reaches its controller. Whatever else it has it goes on with. */
export async function readHostMarks(hostFolder: string): Promise<Marks> {
  const program = await readFile(hostProgramFile());
  const code = createHash("sha256").update(`${process.version}\0`).update(program).digest("hex");
  return { code, enrolment: digest([await readIfThere(join(hostFolder, "keys", "enrolment.json"))]) };
}

function readIfThere(file: string): Promise<string | null> {
  return whenThere(readFile(file, "utf8"));
}

/** Of a list, so that nothing goes from one text into the next unseen. */
function digest(texts: readonly (string | null)[]): string {
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex");
}
