import path from "node:path";
import { InputError } from "../../core/errors.ts";
import type { Digest, Name } from "../../core/names.ts";
import { artifactPath, dataPath, settingsPath } from "../folders.ts";

/**
 * Fills `${data}`, `${artifact}` and `${etc}` with this host's absolute paths; the controller has filled the rest.
 * Throws InputError for any other `${…}`: nothing is started with half a word.
 */
export function fillTemplate(text: string, root: string, module: Name, artifact: Digest | null): string {
  return text.replaceAll(/\$\{([^}]*)\}/g, (whole, word: string) => {
    switch (word) {
      case "data":
        return path.join(root, dataPath(module));
      case "etc":
        return path.join(root, settingsPath(module));
      case "artifact":
        if (artifact !== null) return path.join(root, artifactPath(module, artifact));
        break;
    }
    throw new InputError(`${whole} means nothing on this host`, "Use ${data}, ${etc} or ${artifact}.");
  });
}
