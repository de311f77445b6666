import { describe, expect, it } from "vitest";
import { expectOwnAddress, whyNotListen } from "../../src/embedded/expect-own-address.ts";

describe("where a controller is to listen", () => {
  it.each(["127.0.0.1", "127.0.0.7"])("is an address of this machine: %s", async (host) => {
    expect(await whyNotListen(host)).toBeNull();
    await expectOwnAddress(host, "/mesh/settings.json");
  });

  it("that is another machine's is refused before anything starts, with the file (R48)", async () => {
    // Of a range that is kept for documents.
    const refused = expectOwnAddress("192.0.2.7", "/mesh/settings.json");
    await expect(refused).rejects.toMatchObject({
      name: "InputError",
      message: "the controller cannot listen on 192.0.2.7: it is not an address of this machine",
      next: expect.stringContaining("`listen` in /mesh/settings.json"),
    });
  });
});
