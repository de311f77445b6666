import { stat } from "node:fs/promises";
import { InputError, whenThere } from "../../core/errors.ts";
import { keyIdOf } from "../../link/keys.ts";
import { readDraft } from "../../link/root-draft.ts";
import { rootKeysOf, type Root } from "../../link/root.ts";
import { readBounded } from "./root-files.ts";

/**
 * A draft holds signatures that people travelled for, and lists a key whose private half was made for it. Throws InputError
 * where the file is there, with who has signed it and what can be done.
 */
export async function expectNoDraft(file: string, have: Root): Promise<void> {
  if ((await whenThere(stat(file))) === null) return;
  const { root, signedBy } = await readThere(file, have);
  if (root.mesh === have.mesh && root.version <= have.version)
    throw new InputError(
      `${file} is there: root ${root.version}, and root ${have.version} is here already`,
      `give another --out, or remove it (rm ${file})`,
    );
  const signers = signedBy.length === 0 ? "nobody has signed it" : `signed by ${signedBy.map(keyIdOf).join(", ")}`;
  throw new InputError(
    `${file} is there: a draft of root ${root.version} that was not published (${signers})`,
    `mesh keys root sign ${file} says what it changes; publish it (mesh keys root publish ${file}), or remove it (rm ${file})`,
  );
}

async function readThere(file: string, have: Root): Promise<ReturnType<typeof readDraft>> {
  try {
    return readDraft(await readBounded(file), rootKeysOf(have));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(`${file} is there, and is no draft: ${error.message}`, "give another --out, or move it away", {
      cause: error,
    });
  }
}
