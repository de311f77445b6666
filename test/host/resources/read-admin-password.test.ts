import { chmod, chown, link, mkdir, rename, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { hostFolders, type HostFolders } from "../../../src/host/folders.ts";
import { parseArguments } from "../../../src/host/parse-arguments.ts";
import { fillTemplate } from "../../../src/host/resources/fill-template.ts";
import { checkNamedFile, createAdminPasswordReader } from "../../../src/host/resources/read-admin-password.ts";
import { runHost } from "../../../src/host/run-host.ts";
import type { ServiceUser } from "../../../src/host/service-user.ts";
import { makeFolder } from "../../support/host-bed.ts";

const nobody: ServiceUser = { uid: 65_534, gid: 65_534, isOther: true, name: "nobody" };
const isRoot = process.getuid?.() === 0;

let outside: string;
let folders: HostFolders;
let data: string;
let said: string[];

beforeEach(async () => {
  outside = await makeFolder();
  folders = hostFolders(path.join(outside, "host"));
  data = path.join(folders.root, "data", "broker");
  for (const folder of [data, folders.keys, path.join(folders.root, "etc", "other")])
    await mkdir(folder, { recursive: true });
  said = [];
});

async function put(file: string, mode = 0o644): Promise<string> {
  await writeFile(file, "secret\n");
  await chmod(file, mode);
  return file;
}

function read(file: string, named: readonly string[] = []): Promise<string> {
  const keep = (_message: string, fields: object = {}): unknown => said.push(JSON.stringify(fields));
  const log = { info: keep, warn: keep, error: keep };
  const readAdminPassword = createAdminPasswordReader({ folders, service: nobody, named, log });
  return readAdminPassword("broker", fillTemplate(file, folders.root, "broker", null));
}

describe("the administrator's password file that a manifest names (R46, case 49)", () => {
  it("is read out of the module's own part of the root", async () => {
    await put(path.join(data, "password"));
    expect(await read("${data}/password")).toBe("secret");
    await expect(read("${data}/later")).rejects.toThrow("not there yet");
    expect(said).toEqual([]);
  });

  it.each([
    ["a key of the host's, by a way out of the data folder", "${data}/../../../keys/seal", "keys/seal"],
    ["a file of this machine", "${data}/../../../../id_ed25519", "../id_ed25519"],
    ["what another module is given", "${etc}/../other/provisions.json", "root/etc/other/provisions.json"],
    ["what another module keeps under a longer name", "${data}-2/password", "root/data/broker-2/password"],
  ])("is not read where it is %s, and how it is allowed is said here as well", async (_what, file, place) => {
    const real = path.resolve(folders.dir, place);
    await mkdir(path.dirname(real), { recursive: true });
    await put(real);
    await expect(read(file)).rejects.toThrow(`starting the host with --admin-password-file ${real}`);
    expect(said).toEqual([expect.stringContaining(real)]);
  });

  it("is read elsewhere where the owner of this machine has named it, also by another way of writing it", async () => {
    const file = await put(path.join(outside, "password"), 0o600);
    expect(await read(file, [file])).toBe("secret");
    expect(await read(`\${data}/../../../../password`, [path.join(outside, "x", "..", "password")])).toBe("secret");
    await expect(read(`${file}.old`, [file])).rejects.toThrow("is not read");
  });

  it("may not be named below the host's folder, nor lead there", async () => {
    const key = await put(path.join(folders.keys, "seal"), 0o600);
    expect(() => checkNamedFile(folders.dir, key)).toThrow("below the host's own folder");
    expect(() => checkNamedFile(folders.dir, "password")).toThrow("no absolute path");
    expect(() => checkNamedFile(folders.dir, `${folders.dir}-password`)).not.toThrow();
    const way = path.join(outside, "way");
    await symlink(key, way);
    await expect(read(way, [way])).rejects.toThrow("leads into the host's own folder");
  });

  it("is no link, and lies behind none", async () => {
    await put(path.join(outside, "password"));
    await symlink(path.join(outside, "password"), path.join(data, "link"));
    await expect(read("${data}/link")).rejects.toThrow("cannot be opened");
    await symlink(outside, path.join(data, "folder"));
    await expect(read("${data}/folder/password")).rejects.toThrow("is a link or no folder");
  });

  it.skipIf(!isRoot)("is read only where the module's own services could read it (skipped, needs root)", async () => {
    const own = path.join(data, "own");
    await put(own, 0o600);
    await chown(own, nobody.uid, nobody.gid);
    expect(await read("${data}/own")).toBe("secret");
    const shadow = await put(path.join(outside, "shadow"), 0o640);
    await link(shadow, path.join(data, "planted"));
    await expect(read("${data}/planted")).rejects.toThrow("run as nobody, may not read it either");
    await rename(path.join(data, "planted"), own);
    await expect(read("${data}/own")).rejects.toThrow("chown nobody");
  });
});

describe("the words that allow it (R48)", () => {
  it("are refused for files below the folder that the host is given, before anything of it is read", async () => {
    const command = parseArguments(["run", "--dir", folders.dir, "--admin-password-file", folders.keys]);
    if (command.command !== "run") throw new Error("it is run");
    const running = runHost({ ...command, signal: AbortSignal.abort() });
    await expect(running).rejects.toThrow("below the host's own folder");
  });
});
