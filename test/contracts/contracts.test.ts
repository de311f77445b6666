import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { closureSchema } from "../../src/core/artifact.ts";
import { digestValue } from "../../src/decide/digest.ts";
import { dropEpoch } from "../../src/link/unordered-declaration.ts";
import { described } from "./described.ts";
import { contracts, readGolden, type Contract } from "./contracts.ts";
import { keys } from "./fixed-keys.ts";

type Value = Readonly<Record<string, unknown>>;

async function golden(contract: Contract, name: string): Promise<{ value: Value; wire: string | null }> {
  const { value, wire } = await readGolden(contract.kind, name);
  return { value: value as Value, wire };
}

const pairs = contracts.flatMap((contract) => contract.golden.map((name) => [contract.kind, name, contract] as const));

describe("golden messages, the same files for both ends (R42)", () => {
  it("are those in the folders, and no others", async () => {
    const here = new URL("./", import.meta.url);
    const folders = (await readdir(here, { withFileTypes: true })).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).toSorted()).toEqual(described.map(({ kind }) => kind).toSorted());
    for (const { kind, golden: names, write } of contracts) {
      const files = names.flatMap((name) => [`${name}.json`, ...(write === null ? [] : [`${name}.wire`])]);
      expect((await readdir(new URL(`${kind}/`, here))).toSorted()).toEqual(files.toSorted());
    }
  });

  it.each(pairs)("%s/%s: the producer writes exactly these bytes", async (_kind, name, contract) => {
    const { value, wire } = await golden(contract, name);
    expect(contract.write === null ? null : contract.write(value)).toBe(wire);
  });

  it.each(pairs)("%s/%s: the consumer takes from it what was put in", async (_kind, name, contract) => {
    const { value, wire } = await golden(contract, name);
    expect(contract.read(wire ?? contract.wrap(value))).toMatchObject(value);
  });
});

describe("a message that is not as this program writes it (R42)", () => {
  it.each(pairs)("%s/%s: a member that a newer one added is taken as the table says", async (_kind, name, contract) => {
    const { value } = await golden(contract, name);
    const read = (): unknown => contract.read(contract.wrap({ ...value, fromTheFuture: { level: 3 } }));
    if (contract.unknown === "refused") expect(read).toThrow();
    else expect(read()).toEqual(contract.read(contract.wrap(value)));
  });

  it.each(pairs)("%s/%s: without a member it is refused, unless older ones had none", async (_kind, name, contract) => {
    const { value } = await golden(contract, name);
    const taken = Object.keys(value).filter((member) => {
      const { [member]: _left, ...rest } = value;
      return isTaken(contract, rest);
    });
    expect(taken.filter((member) => !contract.optional.includes(member))).toEqual([]);
    for (const member of contract.optional.filter((one) => one in value)) expect(taken).toContain(member);
  });

  it.each(pairs)("%s/%s: nothing of another type is taken", async (_kind, name, contract) => {
    const { value } = await golden(contract, name);
    const wrong = Object.keys(value).flatMap((member) =>
      [{ nested: { deeply: [null] } }, [[[]]], true, -1.5]
        .filter((other) => typeof other !== typeof value[member])
        .filter((other) => isTaken(contract, { ...value, [member]: other }))
        .map((other) => `${member}: ${JSON.stringify(other)}`),
    );
    expect(wrong).toEqual([]);
  });

  const versioned = pairs.filter(([, , { versionMember }]) => versionMember !== null);
  it.each(versioned)("%s/%s: another version is refused", async (_kind, name, contract) => {
    const { value } = await golden(contract, name);
    for (const version of [0, 2, "1", "https://slsa.dev/provenance/v2", null])
      expect(isTaken(contract, { ...value, [contract.versionMember ?? ""]: version })).toBe(false);
  });

  it("a declaration with something unknown in its content is refused before anything is applied", async () => {
    const [contract] = contracts.filter(({ kind }) => kind === "declaration");
    if (contract === undefined) throw new Error("no declaration");
    const { value } = await golden(contract, "full");
    const content = { ...(value["content"] as Value), fromTheFuture: 1 };
    const digest = digestValue(content);
    expect(() => contract.read(contract.wrap({ ...value, content, digest }))).toThrow(/^schema: /);
    const kinds = { ...(value["content"] as Value), resources: [{ kind: "container", id: "container/a" }] };
    expect(() => contract.read(contract.wrap({ ...value, content: kinds, digest: digestValue(kinds) }))).toThrow(
      /^schema: .*resources\.0\.kind/,
    );
  });
});

describe("a declaration for a host that does not keep order (R37)", () => {
  it("is the golden one without its epoch, and refused by a host that does", async () => {
    const { value, wire } = await readGolden("declaration", "full");
    const { epoch: _epoch, ...rest } = value as Value;
    const sent = dropEpoch(Buffer.from(wire ?? ""), { own: [keys.declaration], by: keys.declaration });
    const { payload } = JSON.parse(Buffer.from(sent).toString()) as { readonly payload: string };
    expect(JSON.parse(Buffer.from(payload, "base64").toString())).toEqual(rest);
    const [contract] = contracts.filter(({ kind }) => kind === "declaration");
    expect(() => contract?.read(Buffer.from(sent).toString())).toThrow(/^schema: .*epoch/);
  });
});

describe("the digest of a closure", () => {
  it("is what it was, or every artifact would be built again", async () => {
    const digestOf = async (name: string): Promise<string> => {
      const { value } = await readGolden("closure", name);
      return digestValue(closureSchema.parse(value));
    };
    expect([await digestOf("page"), await digestOf("before-third-parties")]).toEqual(closureDigests);
  });
});

const closureDigests = [
  "sha256:6cf1794bb8d95209b87924fc0a49ec7013404246c3f4d958ebfd7e473d9a3271",
  "sha256:2e4c9e7d1ee82dc59a6ef779aece04908b50f18537e729660a4bbebb2df17f30",
];

function isTaken(contract: Contract, value: unknown): boolean {
  try {
    contract.read(contract.wrap(value));
    return true;
  } catch {
    return false;
  }
}
