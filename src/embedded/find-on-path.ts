import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** The first program of that name, as a shell would find it; null when there is none. */
export async function findOnPath(name: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    if (isAbsolute(folder) && (await isProgram(join(folder, name)))) return join(folder, name);
  }
  return null;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // absence is the answer: not there, or not for us to run.
    return false;
  }
}
