import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { whenThere } from "../../../src/core/errors.ts";
import type { FaultBed } from "../mesh/bed.ts";
import type { MachineFile } from "./history.ts";

/** The modules of `test/faults/modules` that are one file with one value, and the value where none is set. */
const modules = [
  { module: "site", file: "site.txt", value: "first" },
  { module: "shop", file: "shop.txt", value: "first" },
] as const;

/**
 * What each machine has on its disk, and what it should have by what people assigned: read here without the product's
 * composition, which would be asked about itself. Each scenario ends with a push of what it assigned.
 */
export async function readMachines(bed: FaultBed): Promise<MachineFile[]> {
  const assigned = await bed.read<{ node: string; module: string; value: string | null }>(
    "select node, module, config ->> 'value' as value from assignment",
  );
  const pairs = bed.hosts.nodes.flatMap((node) => modules.map((one) => ({ node, ...one })));
  return await Promise.all(
    pairs.map(async ({ node, module, file, value }) => {
      const own = assigned.find((one) => one.node === node && one.module === module);
      const path = join(bed.hosts.folder(node), "root", "etc", module, file);
      return {
        node,
        module,
        wanted: own === undefined ? null : `${own.value ?? value}\n`,
        found: await whenThere(readFile(path, "utf8")),
      };
    }),
  );
}
