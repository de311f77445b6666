import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { UnavailableError } from "../../../src/core/errors.ts";
import { raiseGateway, until, type Raised } from "../support/raise-gateway.ts";

const standardKey = Buffer.from("0123456789abcdef0123456789abcdef");
const secrets = ["new-s3cret", "old-s3cret", `whsec_${standardKey.toString("base64")}`];
const path = "/v1/webhooks/forge";
const body = Buffer.from('{"ref":"refs/heads/main"}');
const hex = (secret: string | Buffer, text: Uint8Array = body) =>
  createHmac("sha256", secret).update(text).digest("hex");
const github = (secret: string, text: Uint8Array = body) => ({ "x-hub-signature-256": `sha256=${hex(secret, text)}` });

function standard(key: Buffer, options: { id?: string; atMs?: number; text?: Uint8Array } = {}) {
  const { id = "msg_1", atMs = Date.now(), text = body } = options;
  const seconds = String(Math.floor(atMs / 1000));
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.`).update(text).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": `v1,AAAA v1,${signature}` };
}

let raised: Raised;
beforeAll(async () => {
  raised = await raiseGateway({
    webhookSecrets: { forge: secrets, empty: [], blank: [""], constructor: ["x"] },
    limits: { wakeEveryMs: 1 },
  });
});
afterAll(() => raised.close());
beforeEach(() => {
  raised.wakes.length = 0;
  raised.records.deliveries.clear();
  raised.records.failure = null;
});

describe("webhooks (R7, case 56)", () => {
  it.each([
    ["GitHub", github("new-s3cret")],
    ["GitHub, the secret before the rotation", github("old-s3cret")],
    ["Gitea", { "x-gitea-signature": hex("new-s3cret"), "x-github-event": "push", ...github("new-s3cret") }],
    ["Forgejo", { "x-forgejo-signature": hex("new-s3cret"), "x-github-event": "push" }],
    ["GitLab's token", { "x-gitlab-token": "new-s3cret", "x-gitlab-event": "Push Hook" }],
    ["GitLab's Standard Webhooks", standard(standardKey)],
    ["any type of content", { ...github("new-s3cret"), "content-type": "application/x-www-form-urlencoded" }],
  ])("of %s wake the source, and are answered 202", async (_name, headers) => {
    expect((await raised.ask("POST", path, headers, body)).status).toBe(202);
    await until(() => raised.wakes.length === 1, "one wake");
    expect(raised.wakes).toEqual(["forge"]);
  });

  it.each([
    ["no signature", {}],
    ["a wrong secret", github("wrong")],
    ["another body's signature", github("new-s3cret", Buffer.from("{}"))],
    ["a short signature", { "x-hub-signature-256": "sha256=abc" }],
    ["an empty signature", { "x-hub-signature-256": "" }],
    ["no algorithm", { "x-hub-signature-256": hex("new-s3cret") }],
    ["another algorithm", { "x-hub-signature-256": `sha1=${hex("new-s3cret")}` }],
    ["upper-case hex", { "x-gitea-signature": hex("new-s3cret").toUpperCase() }],
    ["hex with rubbish after it", { "x-gitea-signature": `${hex("new-s3cret")}zz` }],
    ["a prefix at Gitea", { "x-gitea-signature": `sha256=${hex("new-s3cret")}` }],
    ["a wrong token", { "x-gitlab-token": "wrong" }],
    ["half a token", { "x-gitlab-token": "new-s3cre" }],
    ["an old time", standard(standardKey, { atMs: Date.now() - 6 * 60_000 })],
    ["a time to come", standard(standardKey, { atMs: Date.now() + 6 * 60_000 })],
    ["another id than was signed", { ...standard(standardKey), "webhook-id": "msg_2" }],
    ["a time that is no number", { ...standard(standardKey), "webhook-timestamp": "soon" }],
    ["another key", standard(Buffer.alloc(32))],
    ["a bad one beside a good one", { ...github("new-s3cret"), "x-gitea-signature": hex("wrong") }],
  ])("with %s are 401 and wake nobody", async (_name, headers) => {
    const answer = await raised.ask("POST", path, headers, body);
    expect([answer.status, answer.body.toString()]).toEqual([401, '{"refused":"signature"}']);
    expect(raised.wakes).toEqual([]);
    expect(raised.records.deliveries.size).toBe(0);
  });

  it.each(["none", "empty", "blank", "toString", "__proto__", "%00", "a%2Fb"])(
    "for a source without a secret are 401: %s",
    async (source) => {
      const headers = { ...github(""), "x-gitlab-token": "" };
      expect((await raised.ask("POST", `/v1/webhooks/${source}`, headers, body)).status).toBe(401);
      expect(raised.wakes).toEqual([]);
    },
  );

  it("drop a repeated delivery, and take the next", async () => {
    const deliver = (id: string) =>
      raised.ask("POST", path, { ...github("new-s3cret"), "x-github-delivery": id }, body);
    await deliver("1");
    await until(() => raised.wakes.length === 1, "a wake for the first");
    expect((await deliver("1")).status).toBe(202);
    await deliver("2");
    await until(() => raised.wakes.length === 2, "a wake for the second, none for the repetition");
    expect([...raised.records.deliveries]).toEqual(["forge 1", "forge 2"]);
  });

  it("are never lost when the records do not answer: one look too many harms nobody", async () => {
    raised.records.failure = new UnavailableError("away");
    const headers = { ...github("new-s3cret"), "x-github-delivery": "3" };
    expect((await raised.ask("POST", path, headers, body)).status).toBe(202);
    await until(() => raised.wakes.length === 1, "a wake");
  });

  it("a thousand at once are all answered 202, and make a few looks, the last after all of them", async () => {
    const wokenAtMs: number[] = [];
    const busy = await raiseGateway({
      webhookSecrets: { forge: secrets },
      limits: { wakeEveryMs: 100 },
      wake: async () => {
        wokenAtMs.push(performance.now());
      },
    });
    try {
      let lastSentMs = 0;
      const send = async (sender: number) => {
        for (let count = 0; count < 50; count += 1) {
          const headers = { ...github("new-s3cret"), "x-github-delivery": `${sender}-${count}` };
          lastSentMs = performance.now();
          expect((await busy.ask("POST", path, headers, body)).status).toBe(202);
        }
      };
      const startMs = performance.now();
      await Promise.all(Array.from({ length: 20 }, (_, sender) => send(sender)));
      await until(() => (wokenAtMs.at(-1) ?? 0) >= lastSentMs, "a look after the last delivery");
      expect(wokenAtMs.length).toBeGreaterThanOrEqual(2);
      expect(wokenAtMs.length).toBeLessThanOrEqual(Math.ceil((performance.now() - startMs) / 100) + 1);
      // Those that came while a look was certain did not ask the records.
      expect(busy.records.deliveries.size).toBeLessThan(1000);
    } finally {
      await busy.close();
    }
  });

  it("say so in the log when the wake fails; the poll finds the change", async () => {
    const failing = await raiseGateway({
      webhookSecrets: { forge: secrets },
      wake: () => Promise.reject(new Error("Temporal is away")),
    });
    try {
      expect((await failing.ask("POST", path, github("new-s3cret"), body)).status).toBe(202);
      await until(() => JSON.stringify(failing.logged).includes("the poll will find the change"), "the log line");
    } finally {
      await failing.close();
    }
  });
});
