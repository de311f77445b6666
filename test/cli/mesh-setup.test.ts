import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import { readMeshSetup, readSettings } from "../../src/cli/mesh-setup.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mesh-settings-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(settings: unknown): Promise<unknown> {
  const file = join(folder, "settings.json");
  await writeFile(file, JSON.stringify(settings));
  return (await readSettings(file)).unsafeWithoutSandbox;
}

it("lets nobody build without a sandbox unless it is said who", async () => {
  expect((await readSettings(join(folder, "none.json"))).unsafeWithoutSandbox).toBe(false);
  expect(await read({})).toBe(false);
  expect(await read({ unsafeWithoutSandbox: ["examples"] })).toEqual(["examples"]);
  expect(await read({ unsafeWithoutSandbox: true })).toBe(true);
  for (const wrong of ["examples", ["../x"], [1], null])
    await expect(read({ unsafeWithoutSandbox: wrong })).rejects.toThrow(InputError);
});

describe("where the gateway listens", () => {
  const settings = async (listen: unknown) => {
    const file = join(folder, "listen.json");
    await writeFile(file, JSON.stringify({ listen }));
    return (await readSettings(file)).listen;
  };
  const meshFile = async (gateway: unknown) => {
    const temporal = { address: "127.0.0.1:7233", namespace: "mesh-demo", ui: null };
    const state = await mkdtemp(join(folder, "state-"));
    await writeFile(join(state, "mesh.json"), JSON.stringify({ schema: 1, mesh: "demo", temporal, gateway }));
    return (await readMeshSetup(state)).gateway;
  };

  it.each(["127.0.0.1", "10.0.0.5", "::1", "fd00::5"])("is an address of this machine: %s", async (listen) => {
    expect(await settings(listen)).toBe(listen);
    expect(await meshFile({ host: listen, port: 7443 })).toEqual({ host: listen, port: 7443 });
  });

  it("may be a name in mesh.json", async () => {
    expect((await meshFile({ host: "mesh.example.com", port: 443 })).host).toBe("mesh.example.com");
  });

  it.each([
    ["0.0.0.0", /listen: name the one address that hosts connect to, not "0\.0\.0\.0"/],
    ["::", /the one address/],
    ["10.0.0.256", /an IPv4 or IPv6 address of this machine, not "10\.0\.0\.256"/],
    ["10.0.0.5:7443", /without a port.*not "10\.0\.0\.5:7443"/],
    ["[fd00::5]", /without brackets.*not "\[fd00::5\]"/],
    ["mesh.example.com", /an IPv4 or IPv6 address/],
    ["", /not ""/],
    [7443, /as text, not 7443/],
    [null, /as text, not null/],
  ])("is refused with what was read: %j", async (listen, message) => {
    await expect(settings(listen)).rejects.toThrow(message);
  });

  it.each([
    [{ host: "10.0.0.256", port: 1 }, /gateway\.host: .*not "10\.0\.0\.256"/],
    [{ host: "a b", port: 1 }, /gateway\.host: .*not "a b"/],
    [{ host: "0.0.0.0", port: 1 }, /gateway\.host: name the one address/],
    [{ host: "127.0.0.1", port: 0 }, /gateway\.port: a port, 1 to 65535, not 0/],
    [{ host: "127.0.0.1", port: 65536 }, /gateway\.port: .*not 65536/],
    [{ host: "127.0.0.1", port: 7.5 }, /gateway\.port: .*not 7\.5/],
    [{ host: "127.0.0.1", port: "7443" }, /gateway\.port: .*not "7443"/],
    [{ host: "127.0.0.1" }, /gateway\.port: .*not nothing/],
  ])("is refused in mesh.json with what was read: %j", async (gateway, message) => {
    await expect(meshFile(gateway)).rejects.toThrow(message);
  });
});

describe("a file of the state folder that is broken (R48)", () => {
  const refused = async (text: string): Promise<unknown> => {
    const file = join(folder, "broken.json");
    await writeFile(file, text);
    return await readSettings(file).catch((error: unknown) => error);
  };

  it.each([
    ['{\n  "pollIntervalMs": 5000,\n}', "broken.json, line 3, column 1: this is not JSON"],
    ["", "broken.json, line 1, column 1: this is not JSON"],
    ['{\n  "pollIntervalMs": "5s"\n}', "broken.json, line 2, column 3: pollIntervalMs: a number, not text"],
    ['{\n  "listne": "10.0.0.5"\n}', 'broken.json, line 2, column 3: nothing here is called "listne"'],
    ['{\n  "history": {\n    "days": 0\n  }\n}', "broken.json, line 3, column 5: history.days: at least 1"],
    ['{ "logLevel": "loud" }', 'logLevel: one of "debug", "info", "warn", "error"'],
    ["[]", "broken.json: an object, not a list"],
  ])("is said with its line, and that what runs goes on: %j", async (text, message) => {
    const error = await refused(text);
    expect(error).toBeInstanceOf(InputError);
    expect(error).toMatchObject({
      message: expect.stringContaining(message),
      next: expect.stringMatching(/^mend it, .*; what runs goes on with what it read when it started$/),
    });
  });

  it("and one that cannot be read at all is no bug of ours: 3", async () => {
    const error = await readSettings(folder).catch((one: unknown) => one);
    expect(error).toMatchObject({ name: "UnavailableError", message: `${folder} cannot be read: EISDIR` });
  });
});
