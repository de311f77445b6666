import { cp, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { BuiltModule } from "../../src/build/build-module.ts";
import { listFiles } from "../../src/build/list-files.ts";
import { sandboxLimits } from "../../src/build/sandbox.ts";
import { findGo } from "../../src/source/imports/go-toolchain.ts";
import { type BuildBedOptions, createBuildBed } from "../support/build-bed.ts";
import { goModule } from "../support/go-module.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const timeout = 600_000;
const standard = join(homedir(), ".cache", "mesh-delivery", "test-go");

async function buildCore(files: Record<string, string>, options: BuildBedOptions = {}): Promise<BuiltModule> {
  const bed = await createBuildBed();
  await bed.origin.commit(goModule("core", files));
  const work = join(await createTemporaryFolder(), "work");
  return bed.build("core", { language: "go", folders: { work, cache: standard }, ...options });
}

async function serve(answer: (path: string) => number): Promise<string> {
  const registry = createServer((request, response) => response.writeHead(answer(request.url ?? "")).end("busy"));
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void registry.close());
  return `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
}

const mod = `module mesh.test/core

go 1.22

require (
	golang.org/x/text v0.0.0-20170915032832-14c0d48ead0c // indirect
	rsc.io/quote v1.5.2
	rsc.io/sampler v1.3.0 // indirect
)
`;
const sum = `golang.org/x/text v0.0.0-20170915032832-14c0d48ead0c h1:qgOY6WgZOaTkIIMiVjBQcw93ERBE4m30iBm00nkL0i8=
golang.org/x/text v0.0.0-20170915032832-14c0d48ead0c/go.mod h1:NqM8EUOU14njkJ3fqMW+pc6Ldnwhi/IjpwHt7yyuwOQ=
rsc.io/quote v1.5.2 h1:w5fcysjrx7yqtD/aO+QwRjYZOKnaM9Uh2b40tElTs3Y=
rsc.io/quote v1.5.2/go.mod h1:LzX7hefJvL54yjefDEDHNONDjII0t9xZLPXsUe+TKr0=
rsc.io/sampler v1.3.0 h1:7uVkIFmeBqHfdjD+gZwtXXI+RODJ2Wc4O7MPEh/QiW4=
rsc.io/sampler v1.3.0/go.mod h1:T1hPZKmBbMNahiBKFy5HrXp6adAjACjK9JXDnKaTXpA=
`;
const code = `package core\n\nimport "rsc.io/quote"\n\nvar Glass = quote.Glass()\n`;
/** For what must not be answered from what was fetched before. */
const other = { "core.go": code, "go.mod": mod.replace("1.22", "1.22.1"), "go.sum": sum };

describe.runIf(findGo() !== null)("third parties of a Go module", () => {
  it("come from the registry, pinned by go.sum, in any order of it", { timeout }, async () => {
    const bed = await createBuildBed();
    const options = {
      language: "go",
      folders: { work: join(await createTemporaryFolder(), "work"), cache: standard },
    } as const;
    await bed.origin.commit(goModule("core", { "core.go": code, "go.mod": mod, "go.sum": sum }));
    const first = await bed.buildFit("core", options);
    await bed.origin.commit({ "core/go.sum": sum.trim().split("\n").toReversed().join("\n") });
    // From what is kept: nobody is asked again.
    expect(await bed.buildFit("core", { ...options, registries: { go: "http://127.0.0.1:1/" } })).toEqual(first);
  });

  it("reach the dependents of the module with their pins", { timeout }, async () => {
    const bed = await createBuildBed();
    const options = {
      language: "go",
      folders: { work: join(await createTemporaryFolder(), "work"), cache: standard },
    } as const;
    const main = `package main\n\nimport "mesh.test/core"\n\nfunc main() { print(core.Glass) }\n`;
    await bed.origin.commit({
      ...goModule("core", { "core.go": code, "go.mod": mod, "go.sum": sum }),
      ...goModule("app", { "main.go": main }),
    });
    const artifact = await bed.buildFit("core", options);
    await bed.buildFit("app", { ...options, dependencies: [{ module: "core", kind: "build", artifact }] });
  });

  it("a registry that answers 503, or does not answer: outstanding (R11, case 10)", { timeout }, async () => {
    for (const go of [await serve(() => 503), "http://127.0.0.1:1/"])
      expect((await buildCore(other, { registries: { go } })).verdict).toMatchObject({
        verdict: "outstanding",
        class: "registry",
        message: expect.stringMatching(/503|refused/),
      });
  });

  it("that the disk changed where they are kept are fetched again (R11)", { timeout }, async () => {
    const bed = await createBuildBed();
    const folder = await createTemporaryFolder();
    const folders = { work: join(folder, "work"), cache: join(folder, "cache") };
    await cp(join(standard, "go-standard"), join(folders.cache, "go-standard"), { recursive: true });
    const options = { language: "go", folders } as const;
    await bed.origin.commit(goModule("core", { "core.go": code, "go.mod": mod, "go.sum": sum }));
    const first = await bed.buildFit("core", options);
    const kept = (await listFiles(folders.cache)).find((path) => path.endsWith("quote/@v/v1.5.2.zip")) ?? "";
    const bytes = await readFile(join(folders.cache, kept));
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    await writeFile(join(folders.cache, kept), bytes);
    expect(await bed.buildFit("core", options)).toEqual(first);
    expect(await readFile(join(folders.cache, kept))).not.toEqual(bytes);
  });

  it(
    "a standard library that the disk changed is compiled again, and is in no program (R11)",
    { timeout },
    async () => {
      const bed = await createBuildBed();
      const folder = await createTemporaryFolder();
      const folders = { work: join(folder, "work"), cache: join(folder, "cache") };
      await cp(join(standard, "go-standard"), join(folders.cache, "go-standard"), { recursive: true });
      const options = { language: "go", folders } as const;
      await bed.origin.commit(
        goModule("core", { "main.go": `package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(1) }\n` }),
      );
      const first = await bed.buildFit("core", options);
      let damaged = 0;
      for (const path of (await listFiles(folders.cache)).filter((one) => one.endsWith("-d"))) {
        const bytes = await readFile(join(folders.cache, path));
        // One package alone has this name in it, and it is linked.
        if (!bytes.includes("!<arch>") || !bytes.includes("fmt.(*pp).doPrintf")) continue;
        damaged += 1;
        const at = bytes.lastIndexOf("%!");
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        await writeFile(join(folders.cache, path), bytes);
      }
      expect(damaged).toBeGreaterThan(0);
      expect(await bed.buildFit("core", options)).toEqual(first);
    },
  );

  it("code that only says that they are not what they were, or that Go is too old, is unfit", { timeout }, async () => {
    for (const words of ["checksum mismatch", "go: go.mod requires go >= 9.9 (running go 1.1; GOTOOLCHAIN=local)"]) {
      const wrong = `${code}\nvar wrong int = ${JSON.stringify(words)}\n`;
      expect((await buildCore({ "core.go": wrong, "go.mod": mod, "go.sum": sum })).verdict).toMatchObject({
        verdict: "unfit",
        stage: "compile",
        message: expect.stringContaining(words),
      });
    }
  });

  it(
    "without a hash: unfit; with the hash of something else: both are named, and it is fetched again",
    { timeout },
    async () => {
      expect((await buildCore({ ...other, "go.sum": "" })).verdict).toMatchObject({
        verdict: "unfit",
        message: expect.stringMatching(/go\.mod:7: requires rsc\.io\/quote v1\.5\.2, which go\.sum does not pin/),
      });
      const changed = sum.replace("w5fcysjrx7yqtD", "w5fcysjrx7yqtE");
      const { verdict } = await buildCore({ ...other, "go.sum": changed });
      expect(verdict).toMatchObject({ verdict: "outstanding", class: "registry" });
      for (const named of ["h1:w5fcysjrx7yqtD", "h1:w5fcysjrx7yqtE", "/rsc.io/quote/@v/v1.5.2.zip"])
        expect(verdict).toMatchObject({ message: expect.stringContaining(named) });
      const partly = sum.replace(/^rsc\.io\/quote v1\.5\.2 h1.*\n/m, "");
      expect((await buildCore({ ...other, "go.sum": partly })).verdict).toMatchObject({
        verdict: "unfit",
        stage: "compile",
        message: expect.stringMatching(/missing go\.sum entry/),
      });
    },
  );
});

describe.runIf(findGo() !== null)("a hostile Go module (case 55)", () => {
  const test = (body: string, imports: readonly string[]): Record<string, string> => ({
    "core.go": "package core\n",
    "core_test.go": `package core\n\nimport (\n${["testing", ...imports].map((one) => `\t"${one}"\n`).join("")})\n\nfunc TestIt(t *testing.T) {\n${body}\n}\n`,
  });

  it("has no network, no environment, and nothing it can write but its own", { timeout }, async () => {
    const body = `
	if _, err := net.Dial("tcp", "1.1.1.1:80"); err == nil {
		t.Error("network")
	}
	for _, path := range []string{"/usr/x", "/etc/x", "core.go", "/build/go/bin/x", "/build/go/proxy/x", "/build/go/mod/go.sum"} {
		if os.WriteFile(path, []byte("x"), 0o644) == nil {
			t.Error("wrote", path)
		}
	}
	for _, path := range []string{"/root", "/home", "/etc/shadow", "/var"} {
		if _, err := os.ReadDir(path); err == nil {
			t.Error("read", path)
		}
	}
	for _, one := range os.Environ() {
		if strings.HasPrefix(one, "SECRET_OF_OURS=") {
			t.Error(one)
		}
	}`;
    process.env["SECRET_OF_OURS"] = "1";
    onTestFinished(() => void delete process.env["SECRET_OF_OURS"]);
    expect((await buildCore(test(body, ["net", "os", "strings"]))).verdict).toMatchObject({ verdict: "fit" });
  });

  it("that never ends is stopped by a limit that is named (case 10)", { timeout }, async () => {
    const begun = performance.now();
    expect((await buildCore(test(`\ttime.Sleep(time.Second)`, ["time"]))).verdict.verdict).toBe("fit");
    // Each step has so long by itself: as long as all of them took together, and more.
    const wallMs = 5_000 + Math.ceil(performance.now() - begun);
    const endless = await buildCore(test(`\tfor {\n\t\ttime.Sleep(time.Second)\n\t}`, ["time"]), {
      limits: { ...sandboxLimits, wallMs },
    });
    expect(endless.verdict).toMatchObject({
      verdict: "outstanding",
      class: "limit",
      message: expect.stringMatching(/on time/),
    });
  });

  it("cannot put its code into another's build: caches are not shared", { timeout }, async () => {
    const body = `
	err := filepath.WalkDir("/build/go/cache", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			os.WriteFile(path, []byte("poison"), 0o644)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}`;
    const poisoner = await buildCore(test(body, ["io/fs", "os", "path/filepath"]));
    expect(poisoner.verdict.verdict).toBe("fit");
    expect((await buildCore(test("", []))).verdict.verdict).toBe("fit");
  });

  it("with a directive that would run something runs nothing", { timeout }, async () => {
    const files = {
      "core.go": "package core\n\n//go:generate touch /build/module/generated\n",
      "c.go": `package core\n\n// #cgo LDFLAGS: -fplugin=/build/module/x.so\nimport "C"\n`,
      "go.mod": "module mesh.test/core\n\ngo 1.22\n\ntoolchain go1.22.9\n",
    };
    expect((await buildCore(files)).verdict.verdict).toBe("fit");
  });
});
