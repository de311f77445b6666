import { readFile, writeFile } from "node:fs/promises";
import { renderContracts } from "./described.ts";

/** Writes the table into docs/contracts.md again: `npx tsx test/contracts/write-docs.ts`. */
const path = new URL("../../docs/contracts.md", import.meta.url);
const text = await readFile(path, "utf8");
await writeFile(
  path,
  text.replace(/^\| kind \|[^\n]*\n(\|[^\n]*\n)+/m, () => `${renderContracts()}\n`),
);
