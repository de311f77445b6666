import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { connectClient, connectWorker, expectNamespace } from "../../src/worker/temporal/connect-temporal.ts";
import type { TemporalServer } from "../../src/worker/temporal/temporal-server.ts";
import { issue, makeAuthority, type Pair } from "../support/certificates.ts";
import { openTemporalFront, type TemporalFront } from "./support/temporal-front.ts";

const apiKey = "canary-of-an-api-key";
let folder: string;
let behind: string;
let mutual: TemporalFront;
let keyed: TemporalFront;
let ended: TemporalFront;
let named: TemporalFront;

const file = (name: string): string => join(folder, name);

async function keepPair(name: string, pair: Pair): Promise<void> {
  await writeFile(file(`${name}.pem`), pair.certificate);
  await writeFile(file(`${name}.key`), pair.key, { mode: 0o600 });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mesh-tls-"));
  behind = inject("temporalAddress");
  const [ours, theirs] = [await makeAuthority("ours"), await makeAuthority("theirs")];
  await writeFile(file("ours.pem"), ours.certificate);
  await writeFile(file("theirs.pem"), theirs.certificate);
  await keepPair("client", await issue(ours, "mesh"));
  await keepPair("stranger", await issue(theirs, "mesh"));
  await keepPair("old", await issue(ours, "mesh", "ended"));
  const server = await issue(ours, "localhost");
  mutual = await openTemporalFront({ behind, server, clientAuthority: ours.certificate });
  keyed = await openTemporalFront({ behind, server, apiKey: () => apiKey });
  ended = await openTemporalFront({ behind, server: await issue(ours, "localhost", "ended") });
  named = await openTemporalFront({ behind, server: await issue(ours, "temporal.example") });
});
afterAll(async () => {
  await Promise.all([mutual, keyed, ended, named].map((front) => front.close()));
  await rm(folder, { recursive: true, force: true });
});

type Variables = Readonly<Record<string, string>>;

const given = { configFile: null, profile: null };
const serverAt = ({ address }: { readonly address: string }): TemporalServer => ({
  address,
  namespace: "default",
  given,
});
const trusting = (): Variables => ({ TEMPORAL_TLS: "true", TEMPORAL_TLS_SERVER_CA_CERT_PATH: file("ours.pem") });
const showing = (name: string): Variables => ({
  ...trusting(),
  TEMPORAL_TLS_CLIENT_CERT_PATH: file(`${name}.pem`),
  TEMPORAL_TLS_CLIENT_KEY_PATH: file(`${name}.key`),
});

async function reach(server: TemporalServer, env: Variables): Promise<void> {
  await expectNamespace(server, env);
  const worker = await connectWorker(server, env);
  await worker.close();
}

describe("a Temporal server behind TLS", () => {
  it("is reached by command and worker with a client certificate", async () => {
    await reach(serverAt(mutual), showing("client"));
    expect(mutual.calls()).toBeGreaterThan(1);
  });

  it("is reached with an API key", async () => {
    await reach(serverAt(keyed), { ...trusting(), TEMPORAL_API_KEY: apiKey });
  });

  it("is reached under the name that its certificate has", async () => {
    await reach(serverAt(named), { ...trusting(), TEMPORAL_TLS_SERVER_NAME: "temporal.example" });
  });

  it("is reached by a profile of a configuration file, which the environment overrides", async () => {
    const configFile = file("temporal.toml");
    const lines = ["[profile.cloud]", 'api_key = "an-older-key"'];
    lines.push("[profile.cloud.tls]", `server_ca_cert_path = "${file("ours.pem")}"`);
    await writeFile(configFile, lines.join("\n"), { mode: 0o600 });
    const server = { ...serverAt(keyed), given: { configFile, profile: "cloud" } };
    await reach(server, { TEMPORAL_API_KEY: apiKey });
    await expect(connectClient(server, {})).rejects.toThrow(/refuses the API key/);
  });
});

interface Refusal {
  readonly what: string;
  readonly server: () => TemporalServer;
  readonly env: () => Variables;
  readonly message: RegExp;
  readonly next: RegExp;
}

const refusals: readonly Refusal[] = [
  {
    what: "another CA",
    server: () => serverAt(mutual),
    env: () => ({ ...showing("client"), TEMPORAL_TLS_SERVER_CA_CERT_PATH: file("theirs.pem") }),
    message: /has a certificate that nothing here vouches for /,
    next: /TEMPORAL_TLS_SERVER_CA_CERT_PATH/,
  },
  {
    what: "no CA, where the system knows none for it",
    server: () => serverAt(keyed),
    env: () => ({ TEMPORAL_API_KEY: apiKey }),
    message: /has a certificate that nothing here vouches for/,
    next: /TEMPORAL_TLS_SERVER_CA_CERT_PATH/,
  },
  {
    what: "a certificate for another name",
    server: () => serverAt(named),
    env: trusting,
    message: /for another name: DNS:temporal\.example/,
    next: /TEMPORAL_TLS_SERVER_NAME/,
  },
  {
    what: "a certificate of the server that ended",
    server: () => serverAt(ended),
    env: trusting,
    message: /has a certificate that is valid from .* until /,
    next: /renew it on the server/,
  },
  {
    what: "no client certificate",
    server: () => serverAt(mutual),
    env: trusting,
    message: /wants a client certificate/,
    next: /TEMPORAL_TLS_CLIENT_CERT_PATH/,
  },
  {
    what: "a client certificate of a stranger",
    server: () => serverAt(mutual),
    env: () => showing("stranger"),
    message: /refuses the client certificate/,
    next: /TEMPORAL_TLS_CLIENT_CERT_PATH/,
  },
  {
    what: "a client certificate that ended",
    server: () => serverAt(mutual),
    env: () => showing("old"),
    message: /TEMPORAL_TLS_CLIENT_CERT_PATH ended at /,
    next: /set it to one that is valid/,
  },
  {
    what: "another API key",
    server: () => serverAt(keyed),
    env: () => ({ ...trusting(), TEMPORAL_API_KEY: "canary-of-another" }),
    message: /refuses the API key/,
    next: /set TEMPORAL_API_KEY/,
  },
  {
    what: "no API key",
    server: () => serverAt(keyed),
    env: trusting,
    message: /lets in only who shows a key/,
    next: /set TEMPORAL_API_KEY/,
  },
  {
    what: "nothing that says TLS",
    server: () => serverAt(keyed),
    env: () => ({}),
    message: /speaks TLS/,
    next: /TEMPORAL_TLS=true/,
  },
  {
    what: "TLS, where the server speaks plain",
    server: () => serverAt({ address: behind }),
    env: trusting,
    message: /speaks no TLS/,
    next: /TEMPORAL_TLS=false/,
  },
  {
    what: "an address where nobody listens",
    server: () => serverAt({ address: "localhost:1" }),
    env: trusting,
    message: /does not answer \(ECONNREFUSED\)/,
    next: /TEMPORAL_ADDRESS/,
  },
];

it.each(refusals)("with $what an error names the variable and what to do", async ({ server, env, message, next }) => {
  for (const open of [expectNamespace, connectWorker]) {
    const failed = await open(server(), env()).then(
      () => null,
      (error: unknown) => error as Error & { readonly next: string },
    );
    expect(failed?.message, `${open.name}: ${String(failed?.cause)}`).toMatch(message);
    expect(failed?.next).toMatch(next);
    expect(JSON.stringify([failed?.message, failed?.next, failed?.stack, String(failed?.cause)])).not.toMatch(/canary/);
  }
});

it("a namespace that is not there is said", async () => {
  const server = { ...serverAt(keyed), namespace: "not-there" };
  await expect(expectNamespace(server, { ...trusting(), TEMPORAL_API_KEY: apiKey })).rejects.toThrow(
    /has no namespace not-there/,
  );
});
