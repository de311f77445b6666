import { armor, Decrypter, Encrypter } from "age-encryption";
import { InputError } from "../core/errors.ts";
import { readSigningKey, saveSigningKey, type SigningKey } from "./keys.ts";
import { readPrivateFileIfThere, writePrivateFile } from "../disk/private-file.ts";

const armorHead = "-----BEGIN AGE ENCRYPTED FILE-----";
/** scrypt makes each guess slow; a short passphrase would undo that. */
const shortestPassphrase = 12;

/** A passphrase from a file of mode 0600: its first line. Throws InputError when it is too short. */
export async function readPassphrase(file: string): Promise<string> {
  const [line = ""] = (await readNamed(file)).split(/\r?\n/);
  if (line.length >= shortestPassphrase) return line;
  throw new InputError(
    `the passphrase in ${file} has fewer than ${shortestPassphrase} characters`,
    "Take a longer one.",
  );
}

/** A person named it: where it is not there, nothing is to be waited for. */
async function readNamed(file: string): Promise<string> {
  const text = await readPrivateFileIfThere(file);
  if (text === null) throw new InputError(`there is no file ${file}`, "is the path right?");
  return text;
}

/** Mode 0600. With a passphrase: an age file (`age -d` opens it, too) around the PEM. */
export async function saveKeyFile(file: string, key: SigningKey, passphrase: string | null): Promise<void> {
  if (passphrase === null) return await saveSigningKey(file, key);
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  const pem = key.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return await writePrivateFile(file, armor.encode(await encrypter.encrypt(pem)));
}

/** Throws InputError when it is no key, or its passphrase is missing or another one. No message holds a secret. */
export async function loadKeyFile(file: string, passphrase: string | null): Promise<SigningKey> {
  const text = await readNamed(file);
  if (!text.startsWith(armorHead)) return readSigningKey(text, file);
  if (passphrase === null)
    throw new InputError(`the key in ${file} is encrypted`, "Give --passphrase-file FILE (mode 600).");
  return readSigningKey(await decrypt(file, text, passphrase), file);
}

async function decrypt(file: string, text: string, passphrase: string): Promise<string> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    return await decrypter.decrypt(armor.decode(text), "text");
  } catch {
    // No cause: what the library says may quote what it has opened so far.
    throw new InputError(`the key in ${file} does not open with this passphrase, or is damaged`);
  }
}
