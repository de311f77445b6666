import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InputError } from "../../../src/core/errors.ts";
import { readConnection, type TemporalConnection } from "../../../src/worker/temporal/read-connection.ts";
import { readNamedTemporal } from "../../../src/worker/temporal/read-profile.ts";
import type { TemporalServer } from "../../../src/worker/temporal/temporal-server.ts";
import { issue, makeAuthority, type Pair } from "../../support/certificates.ts";

let folder: string;
let pair: Pair;
let other: Pair;

const file = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mesh-temporal-"));
  const authority = await makeAuthority("ours");
  [pair, other] = [await issue(authority, "mesh"), await issue(authority, "mesh")];
  await writeFile(file("client.pem"), pair.certificate);
  await writeFile(file("client.key"), pair.key, { mode: 0o600 });
  await writeFile(file("other.key"), other.key, { mode: 0o600 });
  await writeFile(file("open.key"), pair.key);
  await chmod(file("open.key"), 0o644);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const address = "temporal.example:7233";
const foreign: TemporalServer = { address, namespace: "shop", given: { configFile: null, profile: null } };
const pairPaths = (): Record<string, string> => ({
  TEMPORAL_TLS_CLIENT_CERT_PATH: file("client.pem"),
  TEMPORAL_TLS_CLIENT_KEY_PATH: file("client.key"),
});

async function refused(work: Promise<unknown>): Promise<InputError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(InputError);
  return error as InputError;
}

describe("how Temporal is reached", () => {
  it("is in plain for a server of our own, whatever the environment says of another", async () => {
    const env = {
      TEMPORAL_ADDRESS: address,
      TEMPORAL_API_KEY: "canary",
      TEMPORAL_TLS: "true",
      TEMPORAL_PROFILE: "gone",
    };
    const plain: TemporalConnection = { address: "127.0.0.1:1", tls: null, apiKey: null, metadata: {} };
    expect(await readConnection({ address: "127.0.0.1:1", namespace: "default" }, env)).toEqual(plain);
  });

  it("is in plain for one that was named by its address alone", async () => {
    expect(await readConnection(foreign, { TEMPORAL_ADDRESS: address })).toMatchObject({ tls: null, apiKey: null });
  });

  it("is by TLS as soon as there is an API key, and with a pair of a certificate and its key", async () => {
    const keyed = await readConnection(foreign, { TEMPORAL_API_KEY: "a-key", TEMPORAL_GRPC_META_SHOP: "one" });
    expect(keyed).toEqual({ address, tls: {}, apiKey: "a-key", metadata: { shop: "one" } });
    const paired = await readConnection(foreign, pairPaths());
    expect(paired.tls?.clientCertPair?.crt.toString()).toBe(pair.certificate);
    const inline = { TEMPORAL_TLS_CLIENT_CERT_DATA: pair.certificate, TEMPORAL_TLS_CLIENT_KEY_DATA: pair.key };
    expect((await readConnection(foreign, inline)).tls?.clientCertPair?.key.toString()).toBe(pair.key);
  });

  it("gives no key to a server that the environment is not about", async () => {
    const error = await refused(readConnection(foreign, { TEMPORAL_ADDRESS: "else:7233", TEMPORAL_API_KEY: "canary" }));
    expect(error.message).toBe(`the environment is about Temporal at else:7233, and this mesh's is at ${address}`);
    expect(error.next).toContain(`set TEMPORAL_ADDRESS=${address}`);
  });
});

describe("what cannot be right is refused, by the name of its variable", () => {
  const rows: readonly [string, () => Record<string, string>, RegExp, RegExp][] = [
    [
      "a key that others may read",
      () => ({ ...pairPaths(), TEMPORAL_TLS_CLIENT_KEY_PATH: file("open.key") }),
      /^TEMPORAL_TLS_CLIENT_KEY_PATH: others may read the secret/,
      /^chmod 600 /,
    ],
    [
      "a key that is not there",
      () => ({ ...pairPaths(), TEMPORAL_TLS_CLIENT_KEY_PATH: file("none") }),
      /^TEMPORAL_TLS_CLIENT_KEY_PATH: .*none/,
      /path right/,
    ],
    [
      "the key of another certificate",
      () => ({ ...pairPaths(), TEMPORAL_TLS_CLIENT_KEY_PATH: file("other.key") }),
      /CLIENT_KEY_PATH is not the key of TEMPORAL_TLS_CLIENT_CERT_PATH/,
      /one pair/,
    ],
    [
      "a certificate without its key",
      () => ({ TEMPORAL_TLS_CLIENT_CERT_PATH: file("client.pem") }),
      /TEMPORAL_TLS_CLIENT_KEY_PATH is not set/,
      /CLIENT_KEY_PATH/,
    ],
    [
      "a certificate that is none",
      () => ({ ...pairPaths(), TEMPORAL_TLS_CLIENT_CERT_PATH: file("client.key") }),
      /TEMPORAL_TLS_CLIENT_CERT_PATH holds no certificate/,
      /PEM/,
    ],
    [
      "a key that is none",
      () => ({ ...pairPaths(), TEMPORAL_TLS_CLIENT_KEY_PATH: "", TEMPORAL_TLS_CLIENT_KEY_DATA: "canary" }),
      /TEMPORAL_TLS_CLIENT_KEY_DATA holds no private key/,
      /PEM/,
    ],
    [
      "a CA that is not there",
      () => ({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: file("none") }),
      /^TEMPORAL_TLS_SERVER_CA_CERT_PATH: .* \(ENOENT\)/,
      /path right/,
    ],
    [
      "both a path and data",
      () => ({ ...pairPaths(), TEMPORAL_TLS_CLIENT_KEY_DATA: "canary" }),
      /Cannot specify both client_key_path and client_key_data/,
      /_PATH or as _DATA/,
    ],
    [
      "an API key that would go in plain",
      () => ({ TEMPORAL_TLS: "false", TEMPORAL_API_KEY: "canary" }),
      /TEMPORAL_API_KEY would be sent in plain/,
      /TEMPORAL_TLS=true/,
    ],
    [
      "an API key with a line break",
      () => ({ TEMPORAL_API_KEY: "canary\n" }),
      /TEMPORAL_API_KEY has a space or a line break/,
      /anew/,
    ],
    [
      "a header with a line break",
      () => ({ TEMPORAL_GRPC_META_AUTHORIZATION: "canary\r\nx" }),
      /TEMPORAL_GRPC_META_/,
      /mend/,
    ],
    [
      "a word for TLS that Temporal's tools take as false",
      () => ({ TEMPORAL_TLS: "yes", TEMPORAL_API_KEY: "canary" }),
      /TEMPORAL_TLS is neither/,
      /true, false/,
    ],
    [
      "a server taken unseen",
      () => ({ TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: "true" }),
      /is not heeded/,
      /SERVER_CA_CERT_PATH/,
    ],
    [
      "a profile that no file has",
      () => ({ TEMPORAL_PROFILE: "cloud", HOME: file("nobody") }),
      /temporal\.toml cannot be read \(ENOENT\)/,
      /TEMPORAL_PROFILE/,
    ],
  ];
  it.each(rows)("%s", async (_what, env, message, next) => {
    const error = await refused(readConnection(foreign, env()));
    expect(error.message).toMatch(message);
    expect(error.next).toMatch(next);
    expect(String(error.stack) + String(error.cause)).not.toContain("canary");
  });
});

describe("a profile", () => {
  const withKey = '[profile.cloud]\naddress = "cloud:7233"\nnamespace = "shop"\napi_key = "canary"\n';

  async function write(name: string, text: string, mode: number): Promise<string> {
    await mkdir(join(folder, name, "temporalio"), { recursive: true });
    const path = join(folder, name, "temporalio", "temporal.toml");
    await writeFile(path, text);
    await chmod(path, mode);
    return path;
  }

  it("names a server from where Temporal's tools keep it, and is found again without the variable", async () => {
    const configFile = await write("usual", withKey, 0o600);
    const env = { TEMPORAL_PROFILE: "cloud", XDG_CONFIG_HOME: file("usual") };
    const server = await readNamedTemporal(env);
    expect(server).toEqual({ address: "cloud:7233", namespace: "shop", given: { configFile, profile: "cloud" } });
    if (server === null) return;
    expect(await readConnection(server, {})).toMatchObject({ address: "cloud:7233", tls: {}, apiKey: "canary" });
  });

  it("is not looked for where nothing names one: the key in it is for another server", async () => {
    await write("unnamed", withKey.replace("cloud]", "default]"), 0o600);
    const env = { XDG_CONFIG_HOME: file("unnamed") };
    expect(await readNamedTemporal(env)).toBeNull();
    const named = await readNamedTemporal({ ...env, TEMPORAL_ADDRESS: address });
    expect(named).toEqual({ ...foreign, namespace: "default" });
    expect(await readConnection(foreign, env)).toMatchObject({ apiKey: null, tls: null });
  });

  it("with a key in it is refused where others may read it, and one without is not", async () => {
    const TEMPORAL_CONFIG_FILE = await write("open", withKey, 0o644);
    const error = await refused(readConnection(foreign, { TEMPORAL_CONFIG_FILE, TEMPORAL_PROFILE: "cloud" }));
    expect(error).toMatchObject({
      message: expect.stringMatching(/^others may read/),
      next: expect.stringMatching(/^chmod/),
    });
    const keyless = await write("keyless", withKey.replace(/api_key.*\n/, ""), 0o644);
    expect(await readNamedTemporal({ TEMPORAL_CONFIG_FILE: keyless, TEMPORAL_PROFILE: "cloud" })).toMatchObject({
      address: "cloud:7233",
    });
  });

  it("that is not there, has no address or is no TOML is said, without a line of it", async () => {
    const TEMPORAL_CONFIG_FILE = await write("broken", `${withKey}\napi_key = "canary`, 0o600);
    const broken = await refused(readNamedTemporal({ TEMPORAL_CONFIG_FILE }));
    expect(broken.message).toMatch(/cannot be read from .*broken.* \(line 6\)/);
    expect(String(broken.stack) + String(broken.cause)).not.toContain("canary");
    const whole = await write("whole", withKey, 0o600);
    const wrong = await refused(readNamedTemporal({ TEMPORAL_CONFIG_FILE: whole, TEMPORAL_PROFILE: "gone" }));
    expect(wrong.message).toMatch(/Profile 'gone' not found/);
    const none = await refused(readNamedTemporal({ TEMPORAL_CONFIG_FILE: whole }));
    expect(none.message).toMatch(/no address of a Temporal server is in profile default of /);
  });
});
