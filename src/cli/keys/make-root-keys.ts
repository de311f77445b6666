import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { readPassphrase, saveKeyFile } from "../../link/key-file.ts";
import { generateSigningKey, type SigningKey } from "../../link/keys.ts";

export interface MakeRootKeys {
  readonly count: number;
  readonly folder: string;
  /** Null: the keys are written in the clear, mode 0600. */
  readonly passphraseFile: string | null;
}

export interface MadeRootKeys {
  readonly keys: readonly SigningKey[];
  readonly files: readonly string[];
  /** What a person must do with the files now. */
  readonly words: readonly string[];
}

/** New root keys, each in a file of its own that is named after it. */
export async function makeRootKeys({ count, folder, passphraseFile }: MakeRootKeys): Promise<MadeRootKeys> {
  const passphrase = passphraseFile === null ? null : await readPassphrase(passphraseFile);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const keys = Array.from({ length: count }, generateSigningKey);
  const files: string[] = [];
  for (const key of keys) {
    const file = join(folder, `root-key-${key.keyId}.${passphrase === null ? "pem" : "age"}`);
    await saveKeyFile(file, key, passphrase);
    files.push(file);
  }
  const closed = passphrase === null ? "in the clear" : "encrypted by the passphrase";
  return {
    keys,
    files,
    words: [
      `root keys, ${closed}:`,
      ...files.map((file) => `  ${file}`),
      "TAKE THEM OFF THIS MACHINE now, each to another person or place, and remove these files:",
      "whoever has as many of them as must sign together decides what every host believes.",
    ],
  };
}
