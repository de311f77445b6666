import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { describeToolchain } from "../../src/build/toolchain.ts";
import type { Language } from "../../src/core/manifest.ts";
import { chooseFreePort } from "../../src/embedded/ports.ts";
import type { GitRepository } from "../support/git-repository.ts";
import { isCi } from "../support/is-ci.ts";
import { openBedMesh, type BedMesh } from "./support/bed-mesh.ts";
import { createBedSource } from "./support/bed-source.ts";
import { listRows, pushNodes } from "./support/push-document.ts";
import { readSends } from "./support/read-records.ts";
import { waitFor } from "./support/wait-for.ts";

interface Subject {
  readonly language: Exclude<Language, "files">;
  /** In the library's folder: what the page says comes from here. */
  readonly says: { readonly file: string; readonly text: string };
  /** A comment in the library, on a line of its own. */
  readonly comment: { readonly file: string; readonly text: string };
}

const all: readonly Subject[] = [
  {
    language: "typescript",
    says: { file: "src/greet.ts", text: "from typescript-core" },
    comment: { file: "src/greet.ts", text: "// What every page of the mesh says." },
  },
  {
    language: "go",
    says: { file: "greeting.txt", text: "Good day" },
    comment: { file: "greeting.go", text: "// Greeting is what a page shows to somebody." },
  },
  {
    language: "python",
    says: { file: "src/python_core/__init__.py", text: "from python-core" },
    comment: { file: "src/python_core/__init__.py", text: "# What every page of the mesh says." },
  },
  {
    language: "rust",
    says: { file: "src/lib.rs", text: "from rust-core" },
    comment: { file: "src/lib.rs", text: "// What every page of the mesh says." },
  },
];

/** A toolchain that is not here is said by the test's name; where CI runs, all of them must be. */
const absent = all
  .filter(({ language }) => describeToolchain(language).startsWith("absent"))
  .map((one) => one.language);
const subjects = isCi ? all : all.filter(({ language }) => !absent.includes(language));
const without = absent.length === 0 ? "" : ` (without ${absent.join(", ")}: no toolchain here)`;

const builtSchema = z.object({ modules: z.array(z.object({ module: z.string(), standing: z.string() })) });

/**
 * repository libraries              repository pages
 * typescript-core go-core     ◄──── typescript-page go-page
 * python-core     rust-core   ◄──── python-page     rust-page      all pages run on node-a
 */
describe(`modules in four languages, in two repositories${without}`, () => {
  let mesh: BedMesh;
  let libraries: GitRepository;
  let pages: GitRepository;
  const ports = new Map<string, number>();

  beforeAll(async () => {
    libraries = await createBedSource(subjects.map(({ language }) => module(`${language}-core`)));
    pages = await createBedSource(subjects.map(({ language }) => module(`${language}-page`)));
    mesh = await openBedMesh("languages");
    await mesh.addHost("node-a");
    await mesh.ask("repo", "add", "libraries", libraries.dir);
    await mesh.ask("repo", "add", "pages", pages.dir);
    for (const { language } of subjects) {
      await add(`${language}-core`, "libraries");
      await add(`${language}-page`, "pages");
    }
  }, 300_000);

  afterAll(async () => {
    await mesh?.close();
    await libraries?.remove();
    await pages?.remove();
  });

  const module = (name: string) => ({ module: name, from: name });
  const add = (name: string, repository: string) =>
    mesh.ask("module", "add", name, "--repo", repository, "--path", name);

  async function readPage(language: string): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${ports.get(language)}/`);
    return response.text();
  }

  async function edit(subject: Subject, what: "says" | "comment", to: string): Promise<void> {
    const path = `${subject.language}-core/${subject[what].file}`;
    const text = await readFile(join(libraries.dir, path), "utf8");
    expect(text).toContain(subject[what].text);
    await libraries.commit({ [path]: text.replace(subject[what].text, to) }, `${what} of ${subject.language}-core`);
  }

  it(
    "are built against each other over the two repositories, and run on a host (R4, R5, R11)",
    { timeout: 600_000 },
    async () => {
      const built = builtSchema.parse(await mesh.ask("build", "--wait", "--timeout", "500"));
      expect(built.modules.filter((one) => one.standing !== "current")).toEqual([]);
      // Each of them left a statement of how it was built, which holds against the bytes and the records (R8).
      await mesh.ask("artifact", "verify", "--all");
      for (const { language } of subjects) {
        ports.set(language, await chooseFreePort());
        await mesh.ask("assign", "node-a", `${language}-page`, "--set", `port=${ports.get(language)}`);
      }
      const push = await pushNodes(mesh, "node-a");
      expect(listRows(push)).toEqual(["node-a round 0 sent applied"]);
      for (const { language, says } of subjects) expect(await readPage(language)).toContain(says.text);
    },
  );

  it(
    "follow a commit in the other repository to what runs on the host (R8, R9, R15, case 7)",
    { timeout: 600_000 },
    async () => {
      for (const subject of subjects) await edit(subject, "says", `${subject.says.text} again`);
      await mesh.ask("build", "--wait", "--timeout", "500");
      for (const { language, says } of subjects)
        await waitFor(
          `the page in ${language} to say it`,
          async () => ((await readPage(language)).includes(`${says.text} again`) ? true : null),
          120_000,
        );
    },
  );

  it("reach nobody by a commit that changes comments only (R10, case 8)", { timeout: 600_000 }, async () => {
    const before = await readSends(mesh.state);
    for (const subject of subjects)
      await edit(subject, "comment", subject.comment.text.replace(/ (\w+)/, " $1 and more:"));
    const built = builtSchema.parse(await mesh.ask("build", "--wait", "--timeout", "500"));
    expect(built.modules.filter((one) => one.standing !== "current")).toEqual([]);
    expect(await readSends(mesh.state)).toEqual(before);
  });
});
