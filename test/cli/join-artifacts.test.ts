import { expect, it } from "vitest";
import { joinArtifacts } from "../../src/cli/artifacts/load-artifacts.ts";
import type { ArtifactRecord } from "../../src/store/artifacts.ts";
import { artifactOf, digestOf, manifestOf } from "../store/open-records.ts";

const recordOf = (module: string, text: string): ArtifactRecord => ({
  artifact: artifactOf(module, text),
  manifest: manifestOf(module),
  builtAt: "2026-03-01T12:00:00.000Z",
  packedAt: "2026-03-01T12:00:00.000Z",
  collectedAt: null,
});

it("says of each artifact to which nodes it was last sent, and reads each node's builds once for all of them", () => {
  const names = Array.from({ length: 100 }, (_, at) => `m${at}`);
  let reads = 0;
  const sent = names.map((module, at) => ({
    node: `node-${at}`,
    get builds() {
      reads += 1;
      return { [module]: digestOf(`new ${module}`), m0: digestOf("old m0") };
    },
  }));
  const records = names.flatMap((module) => [recordOf(module, `new ${module}`), recordOf(module, `old ${module}`)]);
  const modules = names.map((name) => ({ name, fitArtifact: digestOf(`new ${name}`) }));
  const joined = joinArtifacts(records, { builds: [], checks: [], sent, modules });
  expect(joined.slice(0, 4)).toMatchObject([
    { isFit: true, sentTo: [] },
    { isFit: false, sentTo: names.map((_, at) => `node-${at}`) },
    { isFit: true, sentTo: ["node-1"] },
    { isFit: false, sentTo: [] },
  ]);
  expect(reads).toBe(sent.length);
});
