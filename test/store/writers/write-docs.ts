import { readFile, writeFile } from "node:fs/promises";
import { renderRights, renderRoutes } from "./render-rights.ts";

/** Writes both tables into docs/security.md again: `npx tsx test/store/writers/write-docs.ts`. */
const path = new URL("../../../docs/security.md", import.meta.url);
const text = await readFile(path, "utf8");
const after = text
  .replace(/^\| table \|[^\n]*\n(\|[^\n]*\n)+/m, () => `${renderRights()}\n`)
  .replace(/^\| route \|[^\n]*\n(\|[^\n]*\n)+/m, () => `${renderRoutes()}\n`);
await writeFile(path, after);
