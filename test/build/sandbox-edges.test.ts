import { chmod, mkdir, readdir, rmdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createBubblewrap, listNode } from "../../src/build/bubblewrap.ts";
import { findControlGroups } from "../../src/build/cgroup.ts";
import { openSandbox } from "../../src/build/open-sandbox.ts";
import { type Sandbox, sandboxLimits } from "../../src/build/sandbox.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const timeout = 60_000;
const runAs = process.getuid?.() === 0 ? { runAs: 65534 } : {};
const sandboxes: readonly (readonly [string, Sandbox])[] = [
  ["of this machine", await openSandbox()],
  ["of a user without rights", createBubblewrap({ program: "bwrap", mode: "user-namespace", groups: null, ...runAs })],
];

const groups = await findControlGroups();

// No group may be made here: then none is left either.
it.runIf(groups !== null)(
  "a control group that a killed controller left is removed a day later, and no other",
  async () => {
    for (const parent of groups?.parents ?? []) {
      const [old, young] = ["old", "young"].map((name) => join(parent, `mesh-build-1-${name}`));
      for (const path of [old, young]) await mkdir(path ?? "");
      await utimes(old ?? "", 0, 0);
      await findControlGroups();
      const left = (await readdir(parent)).filter((name) => name.startsWith("mesh-build-1-"));
      await rmdir(young ?? "");
      expect(left).toEqual(["mesh-build-1-young"]);
    }
  },
);

const script = `
const { once } = require("node:events");
const { connect, createServer } = require("node:net");
const { hostname, userInfo } = require("node:os");
(async () => {
  const server = createServer((socket) => socket.end("answered")).listen(0, "localhost");
  await once(server, "listening");
  const [answer] = await once(connect(server.address().port, "localhost"), "data");
  const { address } = await require("node:dns/promises").lookup(hostname());
  console.log([answer, address, userInfo().username].join(" "));
  process.exit();
})();`;
const others = process.getuid?.() === 0 ? { runAs: 12_345 } : {};

it.each([
  ...sandboxes,
  [
    "of a user whom it does not know",
    createBubblewrap({ program: "bwrap", mode: "user-namespace", groups: null, ...others }),
  ],
] as const)(
  "a test that says localhost, or asks who it is, does not fail for what the machine lacks (R11): %s",
  { timeout },
  async (_name, sandbox) => {
    const command = [process.execPath, "-e", script] as const;
    const result = await sandbox.run({ command, folder: "/tmp", mounts: [], network: "none", limits: sandboxLimits });
    expect(result).toMatchObject({ kind: "exited", code: 0, stdout: "answered 127.0.0.1 nobody\n" });
  },
);

it.each(sandboxes)(
  "what a step left under names that are no text is there for the next one (case 55): %s",
  { timeout },
  async (_name, sandbox) => {
    const out = await createTemporaryFolder();
    await chmod(out, 0o777);
    const mounts = [{ from: out, to: "/build/out", access: "write" as const }];
    const step = (words: string) =>
      sandbox.run({
        command: ["/bin/sh", "-c", words],
        folder: "/build/out",
        mounts,
        network: "none",
        limits: sandboxLimits,
      });
    const name = "$(printf '\\377')";
    expect(await step(`mkdir ${name} && echo first > ${name}/${name}`)).toMatchObject({ kind: "exited", code: 0 });
    const next = await step(`echo second >> ${name}/${name}; cat ${name}/${name}`);
    expect(next).toMatchObject({ kind: "exited", code: 0, stdout: "first\nsecond\n" });
  },
);

describe("what lies around the mounts of a sandbox (case 55)", () => {
  it.each(sandboxes)("is no memory to write to that nobody limits: %s", { timeout }, async (_name, sandbox) => {
    const out = await createTemporaryFolder();
    await chmod(out, 0o777);
    const places = "/ /dev /build /build/inner /etc";
    const fine =
      "echo x > /dev/null && echo x > /dev/shm/x && echo x > /tmp/x && echo x > /build/inner/out/x && echo fine";
    const result = await sandbox.run({
      command: [
        "/bin/sh",
        "-c",
        `for place in ${places}; do echo x > $place/written && echo WROTE $place; done; ${fine}`,
      ],
      folder: "/tmp",
      mounts: [{ from: out, to: "/build/inner/out", access: "write" }],
      network: "none",
      limits: sandboxLimits,
    });
    expect(result).toMatchObject({ kind: "exited", code: 0, stdout: "fine\n" });
  });

  it("is of the Node that runs this the program and its libraries, and not the home they are in", async () => {
    const home = await createTemporaryFolder();
    const [node, lib] = [join(home, "bin", "node"), join(home, "lib")];
    for (const folder of ["bin", "lib", ".ssh"]) await mkdir(join(home, folder));
    await writeFile(node, "");
    const words = await listNode(node);
    const mounted = words.flatMap((word, at) => (word === "--ro-bind" ? [words[at + 1]] : []));
    expect(mounted).toEqual([node, lib]);
  });
});
