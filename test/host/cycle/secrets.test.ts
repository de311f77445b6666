import { beforeAll, describe, expect, it } from "vitest";
import type { SealedBox } from "../../../src/core/declaration.ts";
import { createSecretOpener } from "../../../src/host/cycle/secrets.ts";
import { createRedactor } from "../../../src/host/redactor.ts";
import { generateSealIdentity, sealSecret, type SealIdentity } from "../../../src/link/sealing.ts";
import { makeDeclaration } from "../../link/support/fixtures.ts";

const secret = (node: string, provision: string, version: number) => ({
  node,
  provision,
  version,
  user: "u",
  password: "canary-46",
});
let mine: SealIdentity;
let neighbour: SealIdentity;
beforeAll(async () => {
  mine = await generateSealIdentity();
  neighbour = await generateSealIdentity();
});

/** A signed declaration in which the box of node-a's database is another one. */
async function openWith(box: string, named: Partial<SealedBox> = {}): Promise<string> {
  const opener = createSecretOpener(mine.identity, createRedactor());
  const sealed = [{ provision: "database", version: 2, box, ...named }];
  return await opener.open(makeDeclaration({ sealed }), "database", 2).then(
    ({ password }) => password,
    (error: unknown) => String(error),
  );
}

describe("credentials are bound to node, provision and version (R46)", () => {
  it("opens the box that was sealed for exactly this", async () => {
    expect(await openWith(await sealSecret(secret("node-a", "database", 2), mine.recipient))).toBe("canary-46");
  });

  it.each<[string, readonly [string, string, number], RegExp]>([
    ["another node, sealed to this host's key", ["node-b", "database", 2], /for another node/],
    ["another provision of this node", ["node-a", "queue", 2], /for another provision/],
    ["the version before", ["node-a", "database", 1], /for another version/],
  ])("refuses the box of %s in its place", async (_what, [node, provision, version], message) => {
    const said = await openWith(await sealSecret(secret(node, provision, version), mine.recipient));
    expect(said).toMatch(message);
    expect(said).not.toContain("canary");
  });

  it("refuses a box that was sealed to a neighbour, and one that is missing", async () => {
    const box = await sealSecret(secret("node-a", "database", 2), neighbour.recipient);
    expect(await openWith(box)).toMatch(/not sealed to this host's key/);
    expect(await openWith(box, { version: 3 })).toMatch(/no credentials were sealed to this host for database v2/);
  });

  it("looks each box of thousands up once, not all of them for each", async () => {
    const box = await sealSecret(secret("node-a", "database", 2), mine.recipient);
    let looks = 0;
    const sealed = Array.from({ length: 1_000 }, (_, at) => ({
      get provision() {
        looks += 1;
        return at === 999 ? "database" : `other-${at}`;
      },
      version: 2,
      box,
    }));
    const declaration = { ...makeDeclaration({}), sealed };
    const opener = createSecretOpener(mine.identity, createRedactor());
    for (let passes = 0; passes < 10; passes += 1) await opener.open(declaration, "database", 2);
    expect(looks).toBeLessThanOrEqual(sealed.length);
  });

  it("does not take what one box held for another of the same bytes", async () => {
    const box = await sealSecret(secret("node-a", "database", 2), mine.recipient);
    const opener = createSecretOpener(mine.identity, createRedactor());
    const sealed = [
      { provision: "database", version: 2, box },
      { provision: "queue", version: 1, box },
    ];
    const declaration = makeDeclaration({ sealed });
    await opener.open(declaration, "database", 2);
    await expect(opener.open(declaration, "queue", 1)).rejects.toThrow(/for another provision/);
  });
});
