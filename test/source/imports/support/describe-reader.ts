import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ImportReader } from "../../../../src/source/imports/import-reader.ts";
import { listDeafReaders, loadMutant, type Mutation } from "./mutants.ts";
import { openSituations, type Situation, type SituationBed } from "./situation.ts";

export interface DescribeReader {
  readonly reader: ImportReader;
  /** Where it is made, from the repository's root, and by which function. */
  readonly entry: string;
  readonly maker: string;
  readonly situations: readonly Situation[];
  readonly mutations: readonly Mutation[];
  /** Kinds that this language has none of, as `listDeafReaders` calls them. */
  readonly unknownKinds?: readonly string[];
}

/** Tests of a reader by its table, and of the table by readers that leave something out. */
export function describeReader(options: DescribeReader): void {
  const { reader, situations } = options;
  let bed: SituationBed | null = null;
  beforeAll(async () => {
    bed = await openSituations(situations);
  }, 60_000);
  afterAll(() => bed?.remove());

  const judge = (situation: Situation, by: ImportReader): Promise<readonly string[]> => {
    if (bed === null) throw new Error("the repository of the table could not be made");
    return bed.judge(situation, by);
  };

  describe(`an import of ${reader.language} (R4)`, () => {
    it.each(situations)("$what", { timeout: 60_000 }, async (situation) => {
      expect(await judge(situation, reader)).toEqual([]);
    });
  });

  const failing = async (mutant: ImportReader): Promise<string[]> => {
    const names: string[] = [];
    for (const situation of situations) if ((await judge(situation, mutant)).length > 0) names.push(situation.what);
    return names;
  };
  const kinds = listDeafReaders(reader).filter(([kind]) => options.unknownKinds?.includes(kind) !== true);

  describe(`the table of ${reader.language} fails`, () => {
    it.each(kinds)("without any %s", { timeout: 60_000 }, async (_kind, deaf) => {
      expect(await failing(deaf)).not.toEqual([]);
    });

    it.each(options.mutations)("without $without", { timeout: 60_000 }, async (mutation) => {
      expect(await failing(await loadMutant(options.entry, options.maker, mutation))).not.toEqual([]);
    });
  });
}
