import { resolve } from "node:path";
import { InputError } from "../../core/errors.ts";
import { writeDurably } from "../../disk/write-durably.ts";
import { describeRootChange } from "../../link/describe-root.ts";
import { loadKeyFile, readPassphrase } from "../../link/key-file.ts";
import { readDraft, signDraft } from "../../link/root-draft.ts";
import { rootKeysOf, type Root } from "../../link/root.ts";
import type { CommandCall, CommandDefinition } from "../command.ts";
import { expectBeside } from "../expect-options.ts";
import { findPaths, pathOption, readBounded, readNewestRoot, readRootFile } from "../keys/root-files.ts";
import { sayMissing } from "../keys/say-missing.ts";

const help = `
Needs no mesh and no network: the draft, the present root document, and a root key. What the draft changes is said first;
without --key nothing else is done. The signature is added to the file itself; who signs next gets that file.

Exit code: 0 enough have signed it, 1 more must.

Examples:
  mesh keys root sign root-4.draft --current root.dsse
  mesh keys root sign root-4.draft --current root.dsse --key root-key-0123456789abcdef.age --passphrase-file pass.txt`;

export const keysRootSignCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("<file>", "what mesh keys rotate has written")
      .option("--key <file>", "a root key")
      .option("--passphrase-file <file>", "of an encrypted key (mode 600)")
      .option("--current <file>", "the present root document (else that of the mesh found from here)")
      .addHelpText("after", help);
  },
  run: async (call) => {
    expectBeside(call, "passphraseFile", { key: "--key" });
    const file = resolve(call.context.cwd, String(call.args[0]));
    const current = pathOption(call, "current");
    const { root: have } =
      current === null ? await readNewestRoot(findPaths(call).rootDocument) : await readRootFile(current);
    let bytes = await readBounded(file);
    const { root: next } = readDraft(bytes, []);
    if (next.mesh !== have.mesh || next.version !== have.version + 1)
      throw new InputError(
        `this is root ${next.version} of mesh ${next.mesh}; after root ${have.version} of ${have.mesh} comes ${have.version + 1}`,
        "Get the newest draft and the newest root document.",
      );
    const changes = describeRootChange(have, next, call.context.now().getTime());
    const key = await loadKey(call, have, next);
    if (key !== null) {
      call.context.stderr.write(`${changes.join("\n")}\n`);
      bytes = signDraft(bytes, key);
      await writeDurably(file, bytes, { mode: 0o644 });
    }
    const missing = sayMissing(have, readDraft(bytes, rootKeysOf(have)));
    const done = key === null ? ["not signed: give --key FILE"] : [`signed with ${key.keyId}`];
    return {
      code: missing.isComplete ? 0 : 1,
      document: { version: next.version, changes, signedWith: key?.keyId ?? null, missing },
      text: [
        ...(key === null ? changes : []),
        ...done,
        ...missing.words,
        ...(missing.isComplete ? [`  next: on the controller's machine: mesh keys root publish ${file}`] : []),
      ].join("\n"),
    };
  },
};

/** Null: none was given. Throws InputError for one whose signature would count for nothing. */
async function loadKey(call: CommandCall, have: Root, next: Root) {
  const file = pathOption(call, "key");
  if (file === null) return null;
  const passphraseFile = pathOption(call, "passphraseFile");
  const key = await loadKeyFile(file, passphraseFile === null ? null : await readPassphrase(passphraseFile));
  if ([...rootKeysOf(have), ...rootKeysOf(next)].includes(key.publicKey)) return key;
  throw new InputError(`key ${key.keyId} is a root key neither of root ${have.version} nor of the new one`);
}
