import { cp, mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mutate, type Mutant } from "../../simulation/mutants/mutant.ts";

/** A bug planted in the built program, and the scenario of real processes that must name the promise it breaks. */
export interface RealMutant extends Mutant {
  readonly scenario: string;
  /** The same text in what is built, from `dist` on. */
  readonly built: string;
}

export const realMutants: readonly RealMutant[] = [
  {
    name: "gate-without-epoch",
    why: "the gate takes numbers for any epoch",
    file: "src/store/gate.ts",
    find: "and epoch = $2 and epoch > 0",
    replace: "and $2::bigint is not null",
    built: "dist/store/gate.js",
    breaks: ["I5"],
    scenario: "late-send",
  },
  {
    name: "host-without-fence",
    why: "a host takes an older declaration",
    file: "src/decide/accept-declaration.ts",
    find: "if (place > 0)",
    replace: "if (place !== 0)",
    built: "dist/mesh-host.cjs",
    breaks: ["I1"],
    scenario: "replayed-declaration",
  },
];

export function findRealMutant(name: string): RealMutant {
  const found = realMutants.find((mutant) => mutant.name === name);
  if (found === undefined) throw new Error(`there is no mutant ${name}: see --list-mutants`);
  return found;
}

/** A copy of the built program with the bug in it; everything else is this clone's. */
export async function plantInProgram(mutant: RealMutant): Promise<{ readonly mesh: string; readonly host: string }> {
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const folder = await mkdtemp(join(tmpdir(), "mesh-planted-"));
  await cp(join(root, "dist"), join(folder, "dist"), { recursive: true });
  for (const name of ["node_modules", "package.json", "examples"]) await symlink(join(root, name), join(folder, name));
  const path = join(folder, mutant.built);
  await writeFile(path, mutate(await readFile(path, "utf8"), { ...mutant, file: mutant.built }));
  return { mesh: join(folder, "dist", "cli", "main.js"), host: join(folder, "dist", "mesh-host.cjs") };
}
