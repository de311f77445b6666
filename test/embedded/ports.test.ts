import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it } from "vitest";
import {
  answersOnPort,
  chooseFreePort,
  chooseKeptPort,
  isPortFree,
  requireFreePort,
} from "../../src/embedded/ports.ts";

it("tells a taken port from a free one", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  expect(await isPortFree(port)).toBe(false);
  expect(await answersOnPort("127.0.0.1", port)).toBe(true);
  server.close();
  await once(server, "close");
  expect(await isPortFree(port)).toBe(true);
  expect(await answersOnPort("127.0.0.1", port)).toBe(false);
});

it("says of a taken port who has it, and what is done where that one stays", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  const taken = `Temporal needs port ${port}, which another program on this machine has taken`;
  const ended = `End that program (ss -ltnp "sport = :${port}" names it) and start again. `;
  await Promise.all([
    expect(requireFreePort(port, { who: "Temporal" })).rejects.toMatchObject({
      message: taken,
      next: expect.stringContaining(`${ended}Or remove`),
    }),
    expect(requireFreePort(port, { who: "Temporal", otherwise: "Or not." })).rejects.toMatchObject({
      message: taken,
      next: `${ended}Or not.`,
    }),
  ]);
  server.close();
});

it("keeps ports that the system gives to no outgoing connection", async () => {
  const port = await chooseKeptPort([]);
  expect(port).toBeGreaterThanOrEqual(20_000);
  expect(port).toBeLessThan(30_000);
  expect(await isPortFree(await chooseFreePort())).toBe(true);
});

it("says that an address is not one of this machine's, and where to correct it", async () => {
  await expect(isPortFree(await chooseFreePort(), "192.0.2.77")).rejects.toThrow(
    "192.0.2.77 is not an address of this machine",
  );
});
