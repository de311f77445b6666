import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contracts, readGolden, type Contract } from "./contracts.ts";
import { damaged, mutated } from "./mutations.ts";

/** The same at every run; another seed by hand: `FUZZ_SEED=7 FUZZ_RUNS=20000`. */
const seed = Number(process.env["FUZZ_SEED"] ?? 1);
const numRuns = Number(process.env["FUZZ_RUNS"] ?? 300);

const pairs = contracts.flatMap((contract) => contract.golden.map((name) => [contract.kind, name, contract] as const));

/** Null: it was taken. Else what a person is told. A mistake of the reader's own is no refusal. */
function refusalOf(contract: Contract, text: string): string | null {
  try {
    contract.read(text);
    return null;
  } catch (error) {
    if (!(error instanceof Error)) throw new Error("something that is no error was thrown", { cause: error });
    // SyntaxError is JSON.parse's word for bytes that are none; these two are a reader that fell over.
    if (error instanceof TypeError || error instanceof RangeError) throw error;
    return error.message;
  }
}

/** Of what comes from outside the reason is bounded; a row of our own says all that is wrong in it. */
function expectReason(contract: Contract, reason: string | null): void {
  if (reason === null) return;
  expect(reason.trim()).not.toBe("");
  if (/^src\/(link|activities)\//.test(contract.consumer)) expect(reason.length).toBeLessThan(1_000);
}

describe("a reader, given what is almost a message (R42, case 56)", () => {
  it.each(pairs)(
    "%s/%s: signed, and with anything in any place, is taken or refused with the reason",
    async (...one) => {
      const [kind, name, contract] = one;
      const { value } = await readGolden(kind, name);
      let refused = 0;
      fc.assert(
        fc.property(mutated(value), (other) => {
          const reason = refusalOf(contract, contract.wrap(other));
          if (reason !== null) refused += 1;
          expectReason(contract, reason);
          // What was read never reaches the prototype of everything.
          expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
        }),
        { seed, numRuns },
      );
      expect(refused).toBeGreaterThan(0);
    },
  );

  const wired = pairs.filter(([, , { write }]) => write !== null);
  it.each(wired)(
    "%s/%s: with any byte changed is refused, or says the same (case 45)",
    async (kind, name, contract) => {
      const { wire } = await readGolden(kind, name);
      const whole = Buffer.from(wire ?? "");
      const said = JSON.stringify(contract.read(whole.toString("latin1")));
      fc.assert(
        fc.property(damaged(whole), (bytes) => {
          const text = bytes.toString("latin1");
          const reason = refusalOf(contract, text);
          expectReason(contract, reason);
          // A token is not signed: another letter in it is another token, which the gateway refuses.
          if (reason === null && kind !== "enrolment-token") expect(JSON.stringify(contract.read(text))).toBe(said);
        }),
        { seed, numRuns },
      );
    },
  );
});
