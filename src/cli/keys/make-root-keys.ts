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
  /** Writes the files. Not before all that may refuse them was asked: a file without these words stays where it is. */
  save(): Promise<void>;
}

/** New root keys, each for a file of its own that is named after it. */
export async function makeRootKeys({ count, folder, passphraseFile }: MakeRootKeys): Promise<MadeRootKeys> {
  const passphrase = passphraseFile === null ? null : await readPassphrase(passphraseFile);
  const made = Array.from({ length: count }, generateSigningKey).map((key) => {
    return { key, file: join(folder, `root-key-${key.keyId}.${passphrase === null ? "pem" : "age"}`) };
  });
  const files = made.map(({ file }) => file);
  const closed = passphrase === null ? "in the clear" : "encrypted by the passphrase";
  return {
    keys: made.map(({ key }) => key),
    files,
    save: async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      for (const { key, file } of made) await saveKeyFile(file, key, passphrase);
    },
    words: [
      `root keys, ${closed}:`,
      ...files.map((file) => `  ${file}`),
      "TAKE THEM OFF THIS MACHINE now, each to another person or place, and remove these files:",
      "whoever has as many of them as must sign together decides what every host believes.",
    ],
  };
}
