import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { listKey } from "../../src/cli/keys/plan-rotation.ts";
import { readBounded } from "../../src/cli/keys/root-files.ts";
import { chooseMesh } from "../../src/cli/up/choose-mesh.ts";
import { InputError } from "../../src/core/errors.ts";
import { generateSigningKey } from "../../src/link/keys.ts";
import { rootBytesLimit } from "../../src/link/limits.ts";
import { createRoot } from "../../src/link/root.ts";

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "mesh-choose-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it("a state folder that has a root is of that mesh, whatever mesh up is not told; another name is refused", async () => {
  const rootDocument = join(makeFolder(), "root.dsse");
  expect(await chooseMesh({ rootDocument }, null)).toBe("local");
  expect(await chooseMesh({ rootDocument }, "shop")).toBe("shop");
  const key = generateSigningKey();
  const keys = [key, generateSigningKey()].map(({ publicKey }, index) =>
    listKey({ publicKey, role: index === 0 ? "root" : "declaration", nowMs: Date.now(), days: 1 }),
  );
  writeFileSync(rootDocument, createRoot({ schema: 1, mesh: "shop", version: 1, threshold: 1, keys }, [key]));
  expect(await chooseMesh({ rootDocument }, null)).toBe("shop");
  expect(await chooseMesh({ rootDocument }, "shop")).toBe("shop");
  await expect(chooseMesh({ rootDocument }, "local")).rejects.toThrow(/of mesh shop, not of local/);
});

it("of a file that a person named no more is read than a root has, also where it never ends", async () => {
  await expect(readBounded("/dev/zero")).rejects.toThrow(InputError);
  const file = join(makeFolder(), "root.draft");
  writeFileSync(file, Buffer.alloc(rootBytesLimit));
  expect((await readBounded(file)).length).toBe(rootBytesLimit);
  writeFileSync(file, Buffer.alloc(rootBytesLimit + 1));
  await expect(readBounded(file)).rejects.toThrow(/more than 65536 bytes/);
});
