import { describe, expect, it } from "vitest";
import { envelopeBytesLimit, type Content } from "../../src/core/declaration.ts";
import type { Resource } from "../../src/core/resource.ts";
import { compose } from "../../src/decide/compose.ts";
import { boundEnvelopeBytes, findExcess } from "../../src/decide/declaration-bytes.ts";
import { measureValue } from "../../src/decide/digest.ts";
import { provisionId, provisionName } from "../../src/decide/provision-name.ts";
import { sealDeclaration } from "../../src/link/declaration-envelope.ts";
import { generateSealIdentity, sealSecret } from "../../src/link/sealing.ts";
import { declarationKey, makeDeclaration } from "../link/support/fixtures.ts";
import { withAssignment, withBuild, withNode } from "./support/build-world.ts";
import { composeOrFail } from "./support/compose-or-fail.ts";
import { exampleMesh } from "./support/example-mesh.ts";
import { listRows, runPush } from "./support/run-push.ts";

const large = { files: Array.from({ length: 64 }, (_, at) => ({ path: `f${at}`, text: "x".repeat(60_000) })) };
const incarnation = "0123456789abcdef";

/** A provider of so many, each name of it as long as `letters`; and a file with text that JSON writes longer. */
function providing(count: number, letters: number, version = 1): Content {
  const name = (at: number | string): string => `${"n".repeat(letters)}${at}`.slice(-letters);
  const provider = { node: name(""), module: name(""), incarnation };
  const grants = Array.from({ length: count }, (_, at) => {
    const consumer = { node: name(10_000 + at), module: name("m"), requirement: name("r") };
    const provision = provisionId(consumer, incarnation, provider);
    return { provision, version, consumer, name: provisionName("example", consumer) };
  });
  const grant: Resource = {
    id: `grant/${provider.module}/postgresql`,
    module: provider.module,
    after: [],
    kind: "grant",
    provider: "postgresql",
    endpoint: { host: "10.0.0.1", port: 5432 },
    admin: "127.0.0.1:5432",
    adminUser: "admin",
    adminPasswordFile: "${data}/admin-password",
    grants,
  };
  const file: Resource = {
    id: "file/web/conf",
    module: "web",
    after: [],
    kind: "file",
    path: "etc/web/conf",
    mode: "644",
    owner: "service",
    content: { from: "text", text: '"ß€\n\u{1f600}"\t'.repeat(200) },
  };
  return { node: provider.node, builds: {}, resources: [file, grant] };
}

/** As it is told: every box sealed, and signed. */
async function travel(content: Content, passwordLength: number): Promise<number> {
  const { recipient } = await generateSealIdentity();
  const password = "p".repeat(passwordLength);
  const sealed = [];
  for (const resource of content.resources) {
    if (resource.kind !== "grant") continue;
    for (const { provision, version, name: user } of resource.grants) {
      const box = await sealSecret({ node: content.node, provision, version, user, password }, recipient);
      sealed.push({ provision, version, box });
    }
  }
  return sealDeclaration(makeDeclaration({ node: content.node, content, sealed }), [declarationKey]).byteLength;
}

describe("how large a declaration is, known before it is signed (R28)", () => {
  it.each([
    [0, 5, 1],
    [60, 5, 1],
    [60, 63, 123],
  ])("%i boxes with names of %i letters are bounded, and by few per cent", async (count, letters, version) => {
    const content = providing(count, letters, version);
    const bound = boundEnvelopeBytes(content, measureValue(content).bytes);
    expect(await travel(content, 48)).toBeLessThanOrEqual(bound);
    const slack = 4096;
    expect(bound).toBeLessThan((await travel(content, 32)) * 1.03 + slack);
  });

  it("counts a credential once where its consumer is beside its provider", () => {
    const one = providing(1, 5);
    const grant = one.resources.find((resource) => resource.kind === "grant");
    const boxOf = (content: Content): number =>
      boundEnvelopeBytes(content, 0) - boundEnvelopeBytes({ ...one, resources: [] }, 0);
    const [made] = grant?.grants ?? [];
    if (made === undefined) throw new Error("nothing is granted");
    const reference = { ...made, requirement: "database", kind: "postgresql", host: "h", port: 1 } as const;
    const file = { ...one.resources[0], content: { from: "provisions", references: [reference] } } as Resource;
    expect(boxOf({ ...one, resources: [...one.resources, file] })).toBe(boxOf(one));
    expect(boxOf({ ...one, resources: [file] })).toBe(boxOf(one));
    expect(boxOf(one)).toBeGreaterThan(0);
  });

  it("lets through 5,000 consumers with names of 20 letters, and not with longest ones", () => {
    const excessOf = (content: Content) => findExcess(content, measureValue(content).bytes);
    expect(excessOf(providing(5_000, 20))).toBeNull();
    expect(excessOf(providing(5_000, 63))).toMatchObject({
      code: "too-large",
      why: expect.stringContaining("; it provides for 5000 consumers: add a provider on another node"),
    });
  });
});

describe("a node whose declaration hosts would not take", () => {
  const world = ["big-a", "big-b"].reduce(
    (before, name) => withAssignment(withBuild(before, name, 1, large), `${name}@node-c`),
    runPush(exampleMesh(), ["node-b"]).world,
  );

  it("is not worked out, and says of what it has too much", () => {
    expect(compose(world, "node-c", { at: "newest" })).toMatchObject({
      kind: "not-worked-out",
      builds: { "big-a": expect.anything() },
      problems: [
        {
          code: "too-large",
          module: null,
          why: expect.stringMatching(
            new RegExp(
              `^the declaration of node-c would have about 1\\d{7} bytes, and hosts accept ${envelopeBytesLimit}; assign fewer modules`,
            ),
          ),
        },
      ],
    });
    const one = withAssignment(withNode(world, "node-d", {}), "big-a@node-d");
    expect(composeOrFail(one, "node-d").content.resources).toHaveLength(65);
  });

  it("keeps nobody else from being told in the same push (R18)", () => {
    const push = runPush(world, ["node-c", "node-a"]);
    expect(listRows(push)).toEqual(["node-a 0 send", "node-c 0 not-worked-out", "node-b 1 send"]);
  });
});
