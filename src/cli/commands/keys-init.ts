import { quoteWord } from "../text/quote-word.ts";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { InputError, whenThere } from "../../core/errors.ts";
import type { Name } from "../../core/names.ts";
import { openStateFolder } from "../../embedded/state-folder.ts";
import { writeDurably } from "../../disk/write-durably.ts";
import { keyIdOf } from "../../link/keys.ts";
import { createRoot, type Root } from "../../link/root.ts";
import { parseCount, parseName } from "../arguments.ts";
import type { CommandCall, CommandDefinition } from "../command.ts";
import { keepSigningKey } from "../keep-provenance-key.ts";
import { makeRootKeys } from "../keys/make-root-keys.ts";
import { listKey } from "../keys/plan-rotation.ts";
import { pathOption } from "../keys/root-files.ts";
import { meshPaths, type MeshPaths } from "../mesh-setup.ts";

const help = `
Before the first start of a mesh that matters: root keys are made apart from it, and so many of them must sign together
whenever the keys of the mesh change. mesh up and mesh serve never need them. Without this command mesh up makes one
root key and keeps it beside the others. A mesh that has a root already gets others by mesh keys rotate root.

Examples:
  mesh keys init --state /var/lib/mesh --mesh shop --root-keys 3 --threshold 2 --out /media/stick --passphrase-file pass.txt
  mesh up --state /var/lib/mesh --mesh shop --no-examples`;

export const keysInitCommand: CommandDefinition = {
  configure: (command) => {
    command
      .option("--mesh <name>", "the mesh's name, as mesh up is given it", "local")
      .option("--root-keys <count>", "how many root keys are made", "1")
      .option("--threshold <count>", "how many of them must sign together", "1")
      .option("--out <dir>", "where the root keys are written (else root-keys in the state folder)")
      .option("--passphrase-file <file>", "encrypt the root keys by the first line of this file (mode 600)")
      .option("--days <days>", "how long the declaration and provenance keys are good", "365")
      .option("--root-days <days>", "how long the root keys are good", "3650")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const { context, options } = call;
    const mesh = parseName("mesh", options["mesh"]);
    const count = parseCount("--root-keys", options["rootKeys"], { min: 1, max: 32 });
    const threshold = parseCount("--threshold", options["threshold"], { min: 1, max: count });
    const days = parseCount("--days", options["days"], { min: 1, max: 3_650 });
    const rootDays = parseCount("--root-days", options["rootDays"], { min: 1, max: 36_500 });
    const state = resolve(context.cwd, options.state ?? (context.env["MESH_STATE"] || ".mesh"));
    const folder = pathOption(call, "out") ?? join(state, "root-keys");
    // Where mesh up will look, and by one at a time: of two at once one would lose its root, and people would carry away
    // keys that count for nothing.
    const opened = await openStateFolder({ path: state, progress: (line) => context.stderr.write(`${line}\n`) });
    try {
      const paths = meshPaths(opened.paths.root);
      const before = await listRootKeyFiles(folder);
      const made = await makeRoot({ call, mesh, paths, folder, count, threshold, days, rootDays });
      return {
        code: 0,
        document: { mesh, version: 1, threshold, rootDocument: paths.rootDocument, ...made.document, notOfIt: before },
        text: [
          `root 1 of mesh ${mesh}: ${threshold} of ${count} root keys sign the next one`,
          ...made.words,
          ...before.map((file) => `not of this root (of a command that was ended early, or of another mesh): ${file}`),
          `  next: mesh up --state ${quoteWord(state)} --mesh ${mesh}`,
        ].join("\n"),
      };
    } finally {
      await opened.release();
    }
  },
};

interface NewRoot {
  readonly call: CommandCall;
  readonly mesh: Name;
  readonly paths: MeshPaths;
  readonly folder: string;
  readonly count: number;
  readonly threshold: number;
  readonly days: number;
  readonly rootDays: number;
}

/** All keys of a new mesh, and last the root document that lists them. Throws InputError where there is one. */
async function makeRoot({ call, mesh, paths, folder, count, threshold, days, rootDays }: NewRoot) {
  if (existsSync(paths.rootDocument))
    throw new InputError(
      `${paths.rootDocument} is there: this mesh has a root`,
      "mesh keys rotate root replaces its root keys",
    );
  await chmod(paths.secrets, 0o700);
  await mkdir(dirname(paths.rootDocument), { recursive: true });
  const made = await makeRootKeys({ count, folder, passphraseFile: pathOption(call, "passphraseFile") });
  const nowMs = call.context.now().getTime();
  const { publicKey: declaration } = await keepSigningKey(paths.declarationKey);
  const { publicKey: provenance } = await keepSigningKey(paths.provenanceKey);
  const root: Root = {
    schema: 1,
    mesh,
    version: 1,
    threshold,
    keys: [
      ...made.keys.map(({ publicKey }) => listKey({ publicKey, role: "root", nowMs, days: rootDays })),
      listKey({ publicKey: declaration, role: "declaration", nowMs, days }),
      listKey({ publicKey: provenance, role: "provenance", nowMs, days }),
    ],
  };
  const document = createRoot(root, made.keys);
  await made.save();
  await writeDurably(paths.rootDocument, document, { mode: 0o644 });
  return {
    words: made.words,
    document: {
      rootKeys: made.keys.map(({ keyId }, index) => ({ id: keyId, file: made.files[index] })),
      declarationKey: keyIdOf(declaration),
      provenanceKey: keyIdOf(provenance),
    },
  };
}

/** Private halves that lie there already. */
async function listRootKeyFiles(folder: string): Promise<string[]> {
  const names = (await whenThere(readdir(folder))) ?? [];
  return names
    .filter((name) => /^root-key-[0-9a-f]{16}\.(pem|age)$/.test(name))
    .toSorted()
    .map((name) => join(folder, name));
}
