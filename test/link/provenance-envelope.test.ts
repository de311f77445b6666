import { describe, expect, it } from "vitest";
import type { Closure } from "../../src/core/artifact.ts";
import type { Statement } from "../../src/core/provenance.ts";
import { makeStatement } from "../../src/decide/provenance.ts";
import { sealDeclaration, openDeclaration } from "../../src/link/declaration-envelope.ts";
import { signEnvelope } from "../../src/link/envelope.ts";
import { generateSigningKey, incarnationOf, type SigningKey } from "../../src/link/keys.ts";
import { openProvenance, sealProvenance } from "../../src/link/provenance-envelope.ts";
import {
  DAY,
  declarationKey,
  HOUR,
  hostKey,
  makeDeclaration,
  makeRoot,
  REFERENCE,
  rootEntry,
} from "./support/fixtures.ts";

const builderKey = generateSigningKey();
const endedKey = generateSigningKey();
const root = makeRoot({
  keys: [
    ...makeRoot().keys,
    rootEntry(builderKey, "provenance"),
    rootEntry(endedKey, "provenance", REFERENCE - 2 * DAY, REFERENCE - HOUR),
  ],
});
const hex = (digit: string): string => `sha256:${digit.repeat(64)}`;
const closure: Closure = {
  module: "page",
  language: "typescript",
  tree: "a".repeat(40),
  dependencies: { core: hex("c") },
  toolchain: "node 20",
  builder: "typescript-1",
  thirdParties: hex("d"),
  settings: {},
};

function statement(): Statement {
  return makeStatement({
    mesh: "demo",
    artifact: { module: "page", digest: hex("1"), blob: hex("2") },
    closure,
    source: { url: "https://example.org/r", branch: "main", path: "page", commit: "b".repeat(40) },
    builderVersion: "1.0.0",
    invocationId: "mesh/demo/build/page/1",
    startedOn: "2026-03-01T11:00:00.000Z",
    finishedOn: "2026-03-01T11:01:00.000Z",
  });
}

const open = (bytes: Uint8Array, keptAtMs = REFERENCE) => openProvenance(bytes, { root, keptAtMs });

describe("a statement about a build", () => {
  it("names as its inputs the commit, the tree, every artifact and the third parties of the closure", () => {
    expect(statement().predicate.buildDefinition.resolvedDependencies).toEqual([
      {
        name: "source",
        uri: "git+https://example.org/r@refs/heads/main",
        digest: { gitCommit: "b".repeat(40), gitTree: "a".repeat(40) },
      },
      { name: "artifact:core", uri: "urn:mesh-delivery:artifact:core", digest: { meshContentV1: "c".repeat(64) } },
      { name: "third-parties", uri: "urn:mesh-delivery:third-parties", digest: { sha256: "d".repeat(64) } },
    ]);
  });

  it("signed by the builder's key opens to what was signed", () => {
    const opened = open(sealProvenance(statement(), builderKey));
    expect(opened).toEqual({ ok: true, statement: statement(), keyIds: [builderKey.keyId] });
  });

  it.each<readonly [string, SigningKey, RegExp]>([
    ["a declaration's key", declarationKey, /another role/],
    ["a key whose time was over", endedKey, /expired/],
    ["a stranger's key", generateSigningKey(), /not known/],
  ])("signed by %s is refused", (_who, key, why) => {
    expect(open(sealProvenance(statement(), key))).toMatchObject({
      ok: false,
      check: "key",
      message: expect.stringMatching(why),
    });
  });

  it("counts the moment it was kept, not the moment it claims: an old statement outlives its key", () => {
    const bytes = sealProvenance(statement(), endedKey);
    expect(open(bytes, REFERENCE - 2 * HOUR).ok).toBe(true);
    expect(open(bytes, REFERENCE).ok).toBe(false);
  });

  it("with any byte changed is refused", () => {
    const good = sealProvenance(statement(), builderKey);
    for (let at = 0; at < good.length; at += 7) {
      const bent = Buffer.from(good);
      bent[at] = (bent[at] ?? 0) ^ 1;
      expect(open(bent).ok, `byte ${at}`).toBe(false);
    }
  });

  it("in another shape is refused, though the builder signed it", () => {
    const text = JSON.stringify({ ...statement(), extra: 1 });
    expect(open(signEnvelope("provenance", Buffer.from(text), [builderKey]))).toMatchObject({ check: "schema" });
  });
});

describe("the builder's key", () => {
  it("signs no declaration that a host would take (R41)", () => {
    const mine = {
      root,
      mesh: "demo",
      node: "node-a",
      incarnation: incarnationOf(hostKey.publicKey),
      nowMs: REFERENCE,
    };
    expect(openDeclaration(sealDeclaration(makeDeclaration(), [declarationKey]), mine).ok).toBe(true);
    expect(openDeclaration(sealDeclaration(makeDeclaration(), [builderKey]), mine)).toMatchObject({
      ok: false,
      check: "key",
      message: expect.stringMatching(/another role/),
    });
  });
});
