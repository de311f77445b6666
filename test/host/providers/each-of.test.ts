import { describe, expect, it } from "vitest";
import { UnavailableError } from "../../../src/core/errors.ts";
import { eachOf } from "../../../src/host/providers/each-of.ts";
import { NoAnswerError } from "../../../src/host/providers/no-answer.ts";

async function tryAll(failures: Readonly<Record<string, Error>>) {
  const tried: string[] = [];
  const { signal } = new AbortController();
  const thrown = await eachOf(["a", "b", "c"], signal, async (item) => {
    tried.push(item);
    const failure = failures[item];
    if (failure !== undefined) throw failure;
  }).catch((error: unknown) => error);
  return { tried, thrown };
}

describe("things that a provider does one after the other", () => {
  it.each([
    ["is refused", new Error("refused")],
    ["cannot be done now", new UnavailableError("its sessions do not end")],
  ])("are all tried where one %s: a bad one must not hold back the others (R20)", async (_what, failure) => {
    expect(await tryAll({ a: failure, c: new Error("later") })).toEqual({ tried: ["a", "b", "c"], thrown: failure });
  });

  it("end where the server does not answer: each of the rest would take its whole bound (R44)", async () => {
    const silent = new NoAnswerError("does not answer");
    expect(await tryAll({ a: new Error("refused"), b: silent })).toEqual({ tried: ["a", "b"], thrown: silent });
  });

  it("end where something newer is to be done (case 31)", async () => {
    const newer = new Error("a newer declaration is there");
    const controller = new AbortController();
    const tried: string[] = [];
    const trying = eachOf(["a", "b"], controller.signal, async (item) => {
      tried.push(item);
      controller.abort(newer);
    });
    await expect(trying).rejects.toBe(newer);
    expect(tried).toEqual(["a"]);
  });
});
