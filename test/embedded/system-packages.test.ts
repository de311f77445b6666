import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ensureSystemPackages, type SystemPackagesOptions } from "../../src/embedded/system-packages.ts";

let folder: string;
let said: string[];
let options: SystemPackagesOptions;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mesh-apt-"));
  await mkdir(join(folder, "bin"));
  said = [];
  options = {
    progress: (line) => said.push(line),
    // Without /usr/bin, which may hold a bubblewrap already.
    env: { PATH: join(folder, "bin"), FAKE: folder },
    guardFile: join(folder, "policy-rc.d"),
    mayInstall: true,
  };
});
afterEach(() => rm(folder, { recursive: true }));

/** An apt-get that writes down what it was asked and under which guard, then does `then`. */
async function placeApt(then: string): Promise<void> {
  const script = `#!/bin/sh
PATH=/usr/bin:/bin
echo "$DEBIAN_FRONTEND $*" >> "$FAKE/asked"
cat "$FAKE/policy-rc.d" >> "$FAKE/guard-seen"
${then}
`;
  await placeProgram("apt-get", script);
}

async function placeProgram(name: string, text: string): Promise<void> {
  await writeFile(join(folder, "bin", name), text);
  await chmod(join(folder, "bin", name), 0o755);
}

const installBwrap = `case "$*" in *install*) printf '#!/bin/sh\\n' > "$FAKE/bin/bwrap"; chmod +x "$FAKE/bin/bwrap";; esac`;
const exists = (path: string): Promise<boolean> => stat(path).then(Boolean, () => false);

it("asks nothing where all is there", async () => {
  await placeApt("exit 1");
  await placeProgram("bwrap", "#!/bin/sh\n");
  expect(await ensureSystemPackages(["bubblewrap"], options)).toEqual({ missing: [], remedy: "" });
  expect(said).toEqual([]);
});

it("says what to install where it may not install itself", async () => {
  await placeApt("exit 1");
  expect(await ensureSystemPackages(["bubblewrap"], { ...options, mayInstall: false })).toEqual({
    missing: ["bubblewrap"],
    remedy: "apt-get install --no-install-recommends bubblewrap",
  });
  expect(await exists(join(folder, "asked"))).toBe(false);
});

it("installs without questions and without starting services, after one line that says so", async () => {
  await placeApt(installBwrap);
  expect(await ensureSystemPackages(["bubblewrap"], options)).toEqual({ missing: [], remedy: "" });
  expect(said[0]).toBe("installing Debian's bubblewrap by apt-get");
  expect(await readFile(join(folder, "asked"), "utf8")).toMatch(
    /^noninteractive .*update\nnoninteractive .*install -y --no-install-recommends bubblewrap\n$/,
  );
  expect(await readFile(join(folder, "guard-seen"), "utf8")).toContain("exit 101");
  expect(await exists(join(folder, "policy-rc.d"))).toBe(false);
});

it("keeps a guard that somebody else placed", async () => {
  await writeFile(join(folder, "policy-rc.d"), "#!/bin/sh\nexit 0\n");
  await placeApt(installBwrap);
  await ensureSystemPackages(["bubblewrap"], options);
  expect(await readFile(join(folder, "policy-rc.d"), "utf8")).toBe("#!/bin/sh\nexit 0\n");
});

it("removes its guard also when the install fails, says why, and names what is missing", async () => {
  await placeApt(`echo "no such package" >&2; exit 100`);
  const answer = await ensureSystemPackages(["bubblewrap"], options);
  expect(answer.missing).toEqual(["bubblewrap"]);
  expect(said.join("\n")).toMatch(/no such package/);
  expect(await exists(join(folder, "policy-rc.d"))).toBe(false);
});

it("completes an install that was killed half-way, and takes over the guard it left", async () => {
  await placeApt(installBwrap);
  await ensureSystemPackages(["bubblewrap"], options);
  const guard = await readFile(join(folder, "guard-seen"), "utf8");
  await writeFile(join(folder, "policy-rc.d"), guard.slice(0, guard.indexOf("exit 101") + "exit 101\n".length));
  await rm(join(folder, "bin", "bwrap"));
  await placeApt(
    `case "$*" in *install*) [ -e "$FAKE/configured" ] || { echo "you must run 'dpkg --configure -a'" >&2; exit 100; };; esac\n${installBwrap}`,
  );
  await placeProgram("dpkg", `#!/bin/sh\n/usr/bin/touch "$FAKE/configured"\n`);
  expect(await ensureSystemPackages(["bubblewrap"], options)).toEqual({ missing: [], remedy: "" });
  expect(await exists(join(folder, "policy-rc.d"))).toBe(false);
});
