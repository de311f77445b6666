import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { listFiles } from "../../src/build/list-files.ts";
import type { BuiltModule } from "../../src/build/build-module.ts";
import type { Artifact } from "../../src/core/artifact.ts";
import { type BuildBed, createBuildBed, typescriptModule } from "../support/build-bed.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { listPaths, unpack } from "../support/unpacked-artifact.ts";

const run = promisify(execFile);
const timeout = 180_000;
const compilerOptions = { target: "es2023", module: "nodenext", types: ["node"], strict: true };

describe("comments (R10, case 8)", () => {
  const write = (text: string, options: object): Record<string, string> =>
    typescriptModule("core", {
      "src/index.ts": text,
      "tsconfig.json": JSON.stringify({ compilerOptions: { ...compilerOptions, ...options } }),
    });
  const plain = "#!/usr/bin/env node\nexport const one: number = 1;\n";
  const commented = "#!/usr/bin/env node\n/** A comment.\n */\nexport const one: number = 1; // one\n";

  it("do not reach an artifact, whatever the module's settings leave open", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit(write(plain, {}));
    const first = await bed.buildFit("core");
    await bed.origin.commit(write(commented, {}));
    expect((await bed.buildFit("core")).digest).toBe(first.digest);
    const text = await readFile(join(await unpack(bed, first), "dist/index.js"), "utf8");
    expect(text.startsWith("#!/usr/bin/env node\n")).toBe(true);
  });

  it.each([[{ removeComments: false }], [{ sourceMap: true }]])(
    "do where the module asks for them (%j), and it is said",
    { timeout },
    async (options) => {
      const bed = await createBuildBed();
      await bed.origin.commit(write(plain, options));
      const first = await bed.build("core");
      expect(first.findings.map((one) => one.message)).toContainEqual(
        expect.stringMatching(/asks for .* a change of comments/),
      );
      await bed.origin.commit(write(commented, options));
      expect((await bed.buildFit("core")).digest).not.toBe(first.artifact?.digest);
    },
  );
});

describe("what a module is built against (R5)", () => {
  const core = typescriptModule("core", {
    "src/index.ts": "export interface One { readonly one: number }\nexport const one: One = { one: 1 };\n",
  });
  const packed = async (main: string): Promise<{ bed: BuildBed; paths: string[]; artifact: Artifact }> => {
    const bed = await createBuildBed();
    await bed.origin.commit({ ...core, ...typescriptModule("app", { "src/index.ts": main }) });
    const dependency = { module: "core", kind: "build" as const, artifact: await bed.buildFit("core") };
    const artifact = await bed.buildFit("app", { dependencies: [dependency] });
    const paths = (await listPaths(await unpack(bed, artifact))).filter((path) => path.startsWith("node_modules"));
    return { bed, paths, artifact };
  };

  it.each([
    [
      "whole, where it is needed to run",
      `import { one } from "@test/core";\nexport const two: number = one.one;\n`,
      ["dist/index.d.ts", "dist/index.js", "package.json"],
    ],
    [
      "whole, where what is loaded is computed",
      `import type { One } from "@test/core";\nconst a: One = { one: 1 };\nexport const load = () => import("./" + a.one);\n`,
      ["dist/index.d.ts", "dist/index.js", "package.json"],
    ],
    [
      "not at all, where only types are used inside",
      `import type { One } from "@test/core";\nconst a: One = { one: 1 };\nexport const two: number = a.one;\n`,
      [],
    ],
    [
      "as declarations, where its own name them",
      `import type { One } from "@test/core";\nexport const a: One = { one: 1 };\n`,
      ["dist/index.d.ts", "package.json"],
    ],
  ])("is in its artifact %s", { timeout }, async (_what, main, files) => {
    expect((await packed(main)).paths).toEqual(files.map((file) => `node_modules/@test/core/${file}`));
  });

  it("has its types for who is built against it in turn", { timeout }, async () => {
    const { bed, artifact } = await packed(
      `import type { One } from "@test/core";\nexport const a: One = { one: 1 };\n`,
    );
    const top = (text: string) =>
      typescriptModule("top", { "src/main.ts": `import { a } from "@test/app";\n${text}\n` });
    const dependencies = [{ module: "app", kind: "build" as const, artifact }];
    await bed.origin.commit(top("export const b: number = a.one;"));
    await bed.buildFit("top", { dependencies });
    await bed.origin.commit(top("export const b: string = a.one;"));
    expect((await bed.build("top", { dependencies })).verdict).toMatchObject({ verdict: "unfit", stage: "compile" });
  });
});

describe("third-party packages", () => {
  const createRegistry = async () => {
    const served = new Map<string, Buffer>();
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      const bytes = served.get(request.url ?? "");
      response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
    });
    await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void server.close());
    const npm = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const pack = async (text: string, more: object = {}): Promise<Buffer> => {
      const folder = await createTemporaryFolder();
      await mkdir(join(folder, "package"));
      await writeFile(
        join(folder, "package/package.json"),
        JSON.stringify({ name: "left", version: "1.0.0", main: "a.js", ...more }),
      );
      await writeFile(join(folder, "package/a.js"), text);
      await run("tar", ["-czf", "left.tgz", "package"], { cwd: folder });
      return readFile(join(folder, "left.tgz"));
    };
    return { npm, served, asked, pack };
  };
  const lockOf = (npm: string, bytes: Buffer, more: object = {}): string =>
    JSON.stringify({
      lockfileVersion: 3,
      packages: {
        "": {},
        "node_modules/left": {
          version: "1.0.0",
          resolved: `${npm}left/-/left-1.0.0.tgz`,
          integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
          ...more,
        },
      },
    });
  const app = (lock: string): Record<string, string> =>
    typescriptModule("app", {
      "src/main.ts": "export {};\n",
      "package.json": JSON.stringify({ name: "@test/app", type: "module", dependencies: { left: "1.0.0" } }),
      "package-lock.json": lock,
    });

  it("are the bytes of this lock file, whatever was fetched under the same name before", { timeout }, async () => {
    const bed = await createBuildBed();
    const { npm, served, pack } = await createRegistry();
    const build = async (lock: string) => {
      await bed.origin.commit(app(lock));
      return bed.build("app", { registries: { npm } });
    };
    const [first, second] = [await pack("module.exports = 1;\n"), await pack("module.exports = 2;\n")];
    served.set("/left/-/left-1.0.0.tgz", first);
    const one = await build(lockOf(npm, first));
    expect(one.verdict.verdict).toBe("fit");
    served.set("/left/-/left-1.0.0.tgz", second);
    const two = await build(lockOf(npm, second));
    if (two.artifact === null) throw new Error(JSON.stringify(two.verdict));
    const path = join(await unpack(bed, two.artifact), "node_modules/left/a.js");
    expect(await readFile(path, "utf8")).toBe("module.exports = 2;\n");
    // What the lock file names is not what the registry has now: nothing old helps out, and nobody knows who is wrong.
    const third = await pack("module.exports = 3;\n");
    const sha512 = (bytes: Buffer): string => createHash("sha512").update(bytes).digest("base64");
    const { verdict } = await build(lockOf(npm, third));
    expect(verdict).toMatchObject({ verdict: "outstanding", class: "registry" });
    for (const named of [sha512(third), sha512(second), `${npm}left/-/left-1.0.0.tgz`, "left 1.0.0"])
      expect(verdict).toMatchObject({ message: expect.stringContaining(named) });
    served.set("/left/-/left-1.0.0.tgz", third);
    expect((await build(lockOf(npm, third))).verdict.verdict).toBe("fit");
  });

  it("run no script of theirs, in the one step that has network (case 55)", { timeout }, async () => {
    const bed = await createBuildBed();
    const { npm, served, asked, pack } = await createRegistry();
    const phone = `fetch("${npm}phoned").finally(() => require("fs").writeFileSync("phoned", ""))`;
    const script = `node -e ${JSON.stringify(phone)}`;
    const bytes = await pack("module.exports = 1;\n", {
      scripts: { preinstall: script, install: script, postinstall: script },
    });
    served.set("/left/-/left-1.0.0.tgz", bytes);
    await bed.origin.commit(app(lockOf(npm, bytes, { hasInstallScript: true })));
    const artifact = await bed.buildFit("app", { registries: { npm } });
    expect(asked).toContain("/left/-/left-1.0.0.tgz");
    expect(asked).not.toContain("/phoned");
    const files = (await listFiles(await unpack(bed, artifact))).filter((path) => path.includes("left"));
    expect(files.map((path) => path.slice(path.indexOf("left/")))).toEqual(["left/a.js", "left/package.json"]);
  });

  it("that the disk changed where they are kept are fetched again, and no artifact has them", { timeout }, async () => {
    const bed = await createBuildBed();
    const { npm, served, asked, pack } = await createRegistry();
    const bytes = await pack("module.exports = 1;\n");
    served.set("/left/-/left-1.0.0.tgz", bytes);
    await bed.origin.commit(app(lockOf(npm, bytes)));
    const folder = await createTemporaryFolder();
    const folders = { work: join(folder, "work"), cache: join(folder, "cache") };
    const first = await bed.buildFit("app", { registries: { npm }, folders });
    const fetches = asked.length;
    expect(await bed.buildFit("app", { registries: { npm }, folders })).toEqual(first);
    expect(asked).toHaveLength(fetches);
    const kept = (await listFiles(folders.cache)).find((path) => path.endsWith("left/a.js")) ?? "";
    const text = await readFile(join(folders.cache, kept));
    text[0] = (text[0] ?? 0) ^ 1;
    await writeFile(join(folders.cache, kept), text);
    expect(await bed.buildFit("app", { registries: { npm }, folders })).toEqual(first);
    expect(asked).toHaveLength(2 * fetches);
  });

  it("of a workspace are fetched by its lock file for a member that has none itself", { timeout }, async () => {
    const bed = await createBuildBed();
    const { npm, served, pack } = await createRegistry();
    const bytes = await pack("module.exports = 1;\n");
    served.set("/left/-/left-1.0.0.tgz", bytes);
    const { "app/package-lock.json": lock = "", ...files } = app(lockOf(npm, bytes));
    const { packages, ...rest } = JSON.parse(lock) as { packages: object };
    const workspace = JSON.stringify({ ...rest, packages: { ...packages, app: { name: "@test/app" } } });
    await bed.origin.commit({ ...files, "package-lock.json": workspace });
    const { artifact, verdict } = await bed.build("app", { registries: { npm } });
    if (artifact === null) throw new Error(JSON.stringify(verdict));
    const path = join(await unpack(bed, artifact), "node_modules/left/a.js");
    expect(await readFile(path, "utf8")).toBe("module.exports = 1;\n");
  });

  it(
    "of a workspace are what the `overrides` of its root made of them, also against a member's own range",
    { timeout },
    async () => {
      const bed = await createBuildBed();
      const { npm, served, pack } = await createRegistry();
      const bytes = await pack("module.exports = 1;\n");
      served.set("/left/-/left-1.0.0.tgz", bytes);
      const asks = { name: "@test/app", type: "module", dependencies: { left: "^3.0.0" } };
      const { "app/package-lock.json": lock = "", ...files } = app(lockOf(npm, bytes));
      const { packages, ...rest } = JSON.parse(lock) as { packages: object };
      await bed.origin.commit({
        ...files,
        "app/package.json": JSON.stringify(asks),
        "package.json": JSON.stringify({ workspaces: ["app"], overrides: { left: "1.0.0" } }),
        "package-lock.json": JSON.stringify({ ...rest, packages: { ...packages, app: asks } }),
      });
      const { artifact, verdict } = await bed.build("app", { registries: { npm } });
      if (artifact === null) throw new Error(JSON.stringify(verdict));
      expect(await readFile(join(await unpack(bed, artifact), "node_modules/left/a.js"), "utf8")).toMatch(/1/);
    },
  );

  it("from another host are refused before anybody is asked, and mended by a setting", { timeout }, async () => {
    const bed = await createBuildBed();
    const { npm, asked, served, pack } = await createRegistry();
    const bytes = await pack("");
    served.set("/left/-/left-1.0.0.tgz", bytes);
    await bed.origin.commit(app(lockOf(npm, bytes)));
    const inputs: string[] = [];
    const build = async (registry: string): Promise<BuiltModule> =>
      bed.build("app", {
        registries: { npm: registry },
        onOptions: ({ closure }) => inputs.push(JSON.stringify(closure)),
      });
    // No verdict about these inputs (R11): they stay what they are when it is mended.
    expect((await build("https://npm.example/")).verdict).toMatchObject({
      verdict: "outstanding",
      class: "registry",
      message: expect.stringMatching(
        /^package-lock\.json: node_modules\/left comes from http:\/\/127\.0\.0\.1:\d+, which is not the registry/,
      ),
    });
    expect(asked).toEqual([]);
    expect((await build(npm)).verdict).toMatchObject({ verdict: "fit" });
    expect(inputs[1]).toBe(inputs[0]);
  });

  it("that are modules of the mesh are not fetched, and one that nobody imports is left out", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit(
      typescriptModule("app", {
        "src/main.ts": "export {};\n",
        "package.json": JSON.stringify({
          name: "@test/app",
          type: "module",
          dependencies: { "@test/core": "workspace:*" },
        }),
      }),
    );
    const built = await bed.build("app");
    expect(built.verdict.verdict).toBe("fit");
    expect(built.findings.map((one) => one.message)).toContainEqual(
      expect.stringMatching(/lists @test\/core.* left out/),
    );
  });
});
