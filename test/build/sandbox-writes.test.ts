import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSandbox } from "../../src/build/open-sandbox.ts";
import { sandboxLimits } from "../../src/build/sandbox.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

it("what a step wrote since the last look at its folders counts too, whatever it ended with", async () => {
  const folder = await createTemporaryFolder();
  await chmod(folder, 0o777);
  const sandbox = await openSandbox();
  const run = () =>
    sandbox.run({
      command: ["/bin/true"],
      folder: "/tmp",
      mounts: [{ from: folder, to: "/out", access: "write" }],
      network: "none",
      limits: { ...sandboxLimits, diskBytes: 1024 ** 2 },
    });
  await writeFile(join(folder, "some"), Buffer.alloc(600_000, 1));
  expect(await run()).toMatchObject({ kind: "exited", code: 0 });
  // Lies there before the first look, as what is written just before the end does.
  await writeFile(join(folder, "more"), Buffer.alloc(600_000, 1));
  expect(await run()).toMatchObject({
    kind: "limit",
    which: "disk",
    message: "it wrote more than 1048576 bytes to /out",
  });
});
