import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { InputError } from "../../core/errors.ts";
import { nameSchema } from "../../core/names.ts";
import type { Recovery } from "../../core/recovery.ts";
import { recoveryLimits } from "../../decide/judge-reset.ts";
import { describeOrder } from "../../decide/order.ts";
import { writeDurably } from "../../disk/write-durably.ts";
import { loadKeyFile, readPassphrase } from "../../link/key-file.ts";
import type { SigningKey } from "../../link/keys.ts";
import { readRecoveryDraft, signRecovery, writeRecovery } from "../../link/recovery-envelope.ts";
import { keysAt, type Root } from "../../link/root.ts";
import { parseArgument, parseCount, parseOrder } from "../arguments.ts";
import type { CommandCall, CommandDefinition } from "../command.ts";
import { expectBeside } from "../expect-options.ts";
import { findPaths, pathOption, readBounded, readNewestRoot, readRootFile } from "../keys/root-files.ts";

const help = `
Puts the mark of one host back, that was pushed too far. mesh host recover, on the host's machine, says what the host has:
--node, --incarnation and --replaces are its words. It takes what is above --to afterwards: one below what the mesh
sent it last (mesh status NODE) lets it take that again.

Needs no mesh and no network: the root document that the host has, and root keys. A file that is there is signed as it
is; who signs next gets that file. Take back a stolen declaration key first: mesh keys rotate declaration --revoke ID.

Exit code: 0 enough have signed it, 1 more must.

Examples:
  mesh keys recovery recovery-node-a.dsse --current root.dsse --node node-a --incarnation 0123456789abcdef \\
    --replaces 900001.7 --to 3.41 --key root-key-a.age --passphrase-file pass.txt
  mesh keys recovery recovery-node-a.dsse --current root.dsse --key root-key-b.pem`;

const bodyOptions = ["node", "incarnation", "replaces", "to", "days"] as const;

export const keysRecoveryCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("<file>", "the document: made where it is not there yet")
      .option("--node <name>", "of a new one: the node")
      .option("--incarnation <id>", "of a new one: which host of that name")
      .option("--replaces <epoch.number>", "of a new one: the mark that the host has")
      .option("--to <epoch.number>", "of a new one: the mark that it gets, lower than that")
      .option("--days <days>", `of a new one: how long it is good, at most ${recoveryLimits.days} (7)`)
      .option("--key <files...>", "root keys that sign it")
      .option("--passphrase-file <file>", "of encrypted keys (mode 600)")
      .option("--current <file>", "the root document that the host has (else that of the mesh found from here)")
      .addHelpText("after", help);
  },
  run: async (call) => {
    expectBeside(call, "passphraseFile", { key: "--key" });
    const file = resolve(call.context.cwd, String(call.args[0]));
    const current = pathOption(call, "current");
    const { root } =
      current === null ? await readNewestRoot(findPaths(call).rootDocument) : await readRootFile(current);
    const nowMs = call.context.now().getTime();
    const keys = await loadKeys(call, root, nowMs);
    const isNew = !existsSync(file);
    let bytes = isNew ? makeDocument(call, root, nowMs) : await readGiven(call, file, root, nowMs);
    for (const key of keys) bytes = signRecovery(bytes, key);
    if (isNew || keys.length > 0) await writeDurably(file, bytes, { mode: 0o644 });
    const { recovery, signedBy } = readRecoveryDraft(bytes, root, nowMs);
    const missing = Math.max(0, root.threshold - signedBy.length);
    return {
      code: missing === 0 ? 0 : 1,
      document: { file, recovery, signedBy, missing },
      text: [
        describe(recovery),
        signedBy.length === 0 ? "nobody has signed it" : `signed by ${signedBy.join(", ")}`,
        ...(missing > 0
          ? [`${missing} more of the root keys of root ${root.version} must sign it: --key FILE`]
          : ["that is enough", `  next: on the host's machine: mesh host recover --dir DIR --document ${file}`]),
      ].join("\n"),
    };
  },
};

function describe({ mesh, node, incarnation, replaces, to, issuedAt, expiresAt }: Recovery): string {
  const marks = `from ${describeOrder(replaces)} back to ${describeOrder(to)}`;
  return `the mark of ${node} of mesh ${mesh} (host ${incarnation}) ${marks}; issued at ${issuedAt}, good until ${expiresAt}`;
}

function makeDocument(call: CommandCall, root: Root, nowMs: number): Buffer {
  const { options } = call;
  const missing = bodyOptions.filter((name) => name !== "days" && options[name] === undefined);
  if (missing.length > 0)
    throw new InputError(
      `the document is not there yet, and for a new one is missing: ${missing.map((name) => `--${name}`).join(", ")}`,
      "mesh host recover --dir DIR, on the host's machine, says them",
    );
  const days = parseCount("--days", options["days"] ?? 7, { min: 1, max: recoveryLimits.days });
  return writeRecovery({
    schema: 1,
    mesh: root.mesh,
    node: parseArgument(nameSchema, "node name", options["node"]),
    incarnation: String(options["incarnation"]),
    replaces: parseOrder("--replaces", options["replaces"]),
    to: parseOrder("--to", options["to"]),
    issuedAt: new Date(nowMs).toISOString(),
    expiresAt: new Date(nowMs + days * 24 * 3_600_000).toISOString(),
  });
}

/** What is there is signed as it is, or not at all: words beside it would be about another document. */
async function readGiven(call: CommandCall, file: string, root: Root, nowMs: number): Promise<Buffer> {
  const given = bodyOptions.filter((name) => call.options[name] !== undefined);
  if (given.length > 0)
    throw new InputError(
      `${file} is there already, and --${given[0]} would be of a new one`,
      "look at it without these words, or name another file",
    );
  const bytes = await readBounded(file);
  const { recovery } = readRecoveryDraft(bytes, root, nowMs);
  if (recovery.mesh === root.mesh) return bytes;
  throw new InputError(`this document is for mesh ${recovery.mesh}, the root is of mesh ${root.mesh}`);
}

/** Throws InputError for a key whose signature would count for nothing. */
async function loadKeys(call: CommandCall, root: Root, nowMs: number): Promise<SigningKey[]> {
  const files = Array.isArray(call.options["key"]) ? call.options["key"].map(String) : [];
  const passphraseFile = pathOption(call, "passphraseFile");
  const passphrase = passphraseFile === null ? null : await readPassphrase(passphraseFile);
  const { whyNot } = keysAt(root, "root", nowMs);
  const keys: SigningKey[] = [];
  for (const file of files) {
    const key = await loadKeyFile(resolve(call.context.cwd, file), passphrase);
    const why = whyNot(key.keyId);
    if (why !== null) throw new InputError(`a signature of key ${key.keyId} would not count: ${why}`);
    keys.push(key);
  }
  return keys;
}
