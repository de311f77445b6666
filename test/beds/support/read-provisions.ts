import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const provisionsSchema = z.record(
  z.string(),
  z.object({
    kind: z.string(),
    host: z.string(),
    port: z.number(),
    name: z.string(),
    user: z.string(),
    password: z.string(),
    url: z.string(),
  }),
);
export type Credentials = z.infer<typeof provisionsSchema>[string];

/** The credentials as the host wrote them for the service: what the consumer itself reads. */
export async function readProvision(hostFolder: string, module: string, requirement: string): Promise<Credentials> {
  const file = join(hostFolder, "root", "etc", module, "provisions.json");
  const found = provisionsSchema.parse(JSON.parse(await readFile(file, "utf8")))[requirement];
  if (found === undefined) throw new Error(`${file} has no ${requirement}`);
  return found;
}
