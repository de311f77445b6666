import { expect, it } from "vitest";
import { parseAddress, provideTemporal } from "../../src/embedded/provide-temporal.ts";
import { chooseFreePort } from "../../src/embedded/ports.ts";
import { listPaths } from "../../src/embedded/state-folder.ts";

it.each([
  ["localhost", { host: "localhost", port: 7233 }],
  ["temporal.example:7000", { host: "temporal.example", port: 7000 }],
  ["[::1]:7000", { host: "::1", port: 7000 }],
] as const)("reads the address %s", (text, address) => {
  expect(parseAddress(text)).toEqual(address);
});

it.each(["::1", "host:", "host:port", ""])("refuses %j as an address", (text) => {
  expect(() => parseAddress(text)).toThrow(/no host:port/);
});

it("says so when the named server does not answer, and starts none of its own", async () => {
  const address = `127.0.0.1:${await chooseFreePort()}`;
  const options = {
    env: {},
    foreign: { address, namespace: "default" },
    paths: listPaths("/nowhere"),
    port: 1,
    uiPort: 2,
  };
  await expect(provideTemporal({ ...options, progress: () => undefined })).rejects.toThrow(
    `no Temporal server answers at ${address} (TEMPORAL_ADDRESS)`,
  );
});
