import { describe, expect, it } from "vitest";
import type { Report, ReportPlace } from "../../../src/core/report.ts";
import type { ReportAnswer } from "../../../src/link/host-client.ts";
import { createOutbox, type Outbox } from "../../../src/host/cycle/outbox.ts";
import { retryDelayMs } from "../../../src/host/cycle/retry-delay.ts";
import { RefusedError } from "../../../src/link/refused-error.ts";
import { makeReport } from "../../link/support/fixtures.ts";

const never = (): void => undefined;
const kept: ReportAnswer = { kept: true };
const place: ReportPlace = { has: null, boot: 2, sequence: 9 };

/** Runs until every answer was given; an answer may put another report meanwhile. */
async function runOutbox(first: Report, answers: readonly ((outbox: Outbox) => ReportAnswer | Error)[]) {
  const stop = new AbortController();
  const seen = {
    sent: [] as number[],
    waits: [] as number[],
    words: 0,
    behind: [] as ReportPlace[],
    said: [] as string[],
  };
  let at = 0;
  const say = (level: string) => (message: string) => void seen.said.push(`${level}: ${message}`);
  const outbox: Outbox = createOutbox({
    controller: {
      async sendReport(bytes) {
        seen.sent.push(Number(Buffer.from(bytes).toString()));
        const answer = answers[at]?.(outbox) ?? new Error("asked once more than there are answers");
        at += 1;
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    signReport: (report) => Buffer.from(String(report.sequence)),
    clock: {
      nowMs: () => 0,
      // What waits to send again goes on at once; what waits for a report has nothing to do any more.
      async wait(ms) {
        seen.waits.push(ms);
        if (at >= answers.length) stop.abort();
      },
      after: () => () => undefined,
      every: () => () => undefined,
    },
    log: { info: say("info"), warn: say("warn"), error: say("error") },
    chance: () => 0.5,
    onWord: () => (seen.words += 1),
    onBehind: (behind) => seen.behind.push(behind),
  });
  outbox.put(first);
  await outbox.run(stop.signal);
  return { ...seen, unread: outbox.unread };
}

const report = (sequence: number): Report => makeReport({ sequence });
const away = () => new Error("away");

describe("a report on its way (R38)", () => {
  it("is sent once where it is kept, and is a word of the controller", async () => {
    expect(await runOutbox(report(1), [() => kept])).toMatchObject({ sent: [1], words: 1, behind: [], said: [] });
  });

  it("is sent again until it is answered, each time later, and says so once", async () => {
    const seen = await runOutbox(report(1), [away, away, () => kept]);
    expect(seen).toMatchObject({ sent: [1, 1, 1], words: 1, said: ["warn: the report is not sent yet"] });
    expect(seen.waits.slice(0, 2)).toEqual([retryDelayMs(1, 0.5), retryDelayMs(2, 0.5)]);
  });

  it("begins to wait anew after an answer", async () => {
    const next = (outbox: Outbox) => {
      outbox.put(report(2));
      return kept;
    };
    const seen = await runOutbox(report(1), [away, away, next, away, () => kept]);
    expect(seen.sent).toEqual([1, 1, 1, 2, 2]);
    expect(seen.waits.slice(0, 3)).toEqual([1, 2, 1].map((failures) => retryDelayMs(failures, 0.5)));
    expect(seen.said).toHaveLength(2);
  });

  it("gives way to a newer one that comes while it is sent, which is not lost", async () => {
    const put = (outcome: ReportAnswer | Error) => (outbox: Outbox) => {
      outbox.put(report(2));
      outbox.put(report(3));
      return outcome;
    };
    expect((await runOutbox(report(1), [put(kept), () => kept])).sent).toEqual([1, 3]);
    expect((await runOutbox(report(1), [put(new Error("away")), () => kept])).sent).toEqual([1, 3]);
  });

  it("that is not kept is answered, and not sent again: the host hears what is kept", async () => {
    const seen = await runOutbox(report(1), [() => ({ kept: false, why: "older", behind: place })]);
    expect(seen).toMatchObject({ sent: [1], words: 1, behind: [place] });
    expect(seen.said).toEqual(["warn: the controller does not keep the report"]);
    const unknown = await runOutbox(report(1), [() => ({ kept: false, why: "unknown", behind: null })]);
    expect(unknown).toMatchObject({ sent: [1], behind: [] });
  });

  it("that is refused is an error in the log, and no word", async () => {
    const seen = await runOutbox(report(1), [() => new RefusedError("401 clock", 401, "clock"), () => kept]);
    expect(seen).toMatchObject({ sent: [1, 1], words: 1, said: ["error: the controller refuses the report"] });
  });

  it.each([400, 413])(
    "that the controller cannot read (%d) is put aside and counted, and the next one goes",
    async (status) => {
      const refused = (outbox: Outbox) => {
        if (outbox.unread === null) outbox.put(report(2));
        return new RefusedError("schema: unknown", status, "schema: unknown");
      };
      const seen = await runOutbox(report(1), [refused, refused]);
      expect(seen).toMatchObject({ sent: [1, 2], words: 2, unread: { count: 2, why: "schema: unknown" } });
      expect(seen.said).toEqual(Array(2).fill("error: the controller cannot read the report: it is put aside"));
    },
  );

  it("is sent as soon as there is one, and nothing is said of one that the stop of the host cut off", async () => {
    const stop = new AbortController();
    const said: string[] = [];
    let asked = 0;
    const outbox = createOutbox({
      controller: {
        async sendReport() {
          asked += 1;
          stop.abort();
          throw new Error("cut off");
        },
      },
      signReport: () => Buffer.alloc(0),
      clock: {
        nowMs: () => 0,
        wait: (_ms, signal) =>
          new Promise((go) => {
            if (signal.aborted) go();
            else signal.addEventListener("abort", () => go(), { once: true });
          }),
        after: () => () => undefined,
        every: () => () => undefined,
      },
      log: { info: never, warn: (message) => said.push(message), error: (message) => said.push(message) },
      chance: () => 0,
      onWord: never,
      onBehind: never,
    });
    const running = outbox.run(stop.signal);
    await Promise.resolve();
    outbox.put(report(1));
    await running;
    expect({ asked, said }).toEqual({ asked: 1, said: [] });
  });
});
