import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { renderRights, renderRoutes } from "./render-rights.ts";

/** Where it fails: `npx tsx test/store/writers/write-docs.ts`. */
it("docs/security.md has the writers table as the code has it (R41)", async () => {
  const text = await readFile(new URL("../../../docs/security.md", import.meta.url), "utf8");
  expect(text).toContain(renderRights());
  expect(text).toContain(renderRoutes());
});
