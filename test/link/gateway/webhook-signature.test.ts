import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { hasWebhookSignature, isWebhookSigned, readDeliveryId } from "../../../src/link/gateway/webhook-signature.ts";
import { REFERENCE } from "../support/fixtures.ts";

const body = Buffer.from("{}");
const secret = "s3cret";
const windowMs = 5 * 60_000;

function standard(key: string, list: (signature: string) => string = (signature) => `v1,${signature}`) {
  const seconds = String(REFERENCE / 1000);
  const signature = createHmac("sha256", key).update(`one.${seconds}.`).update(body).digest("base64");
  return { "webhook-id": "one", "webhook-timestamp": seconds, "webhook-signature": list(signature) };
}
const isSigned = (headers: Record<string, string>, nowMs = REFERENCE) =>
  isWebhookSigned({ headers, nowMs }, body, [secret]);

describe("a forge's signature (case 56)", () => {
  it.each([-windowMs, 0, windowMs])("with a time is good at the bounds of its window: %d ms", (awayMs) => {
    expect(isSigned(standard(secret), REFERENCE + awayMs)).toBe(true);
  });

  it.each([-windowMs - 1, windowMs + 1])("with a time is not good beyond it: %d ms", (awayMs) => {
    expect(isSigned(standard(secret), REFERENCE + awayMs)).toBe(false);
  });

  it("is looked for among several, and only in the version that is known", () => {
    expect(isSigned(standard(secret, (good) => `v1a,AAAA v1,${good} v2,BBBB`))).toBe(true);
    expect(isSigned(standard(secret, (good) => `v2,${good}`))).toBe(false);
    expect(isSigned(standard(secret, (good) => good))).toBe(false);
  });

  it("needs its id and its time", () => {
    const { "webhook-id": _id, ...nameless } = standard(secret);
    const { "webhook-timestamp": _time, ...timeless } = standard(secret);
    expect([isSigned(nameless), isSigned(timeless)]).toEqual([false, false]);
  });

  it("is not good under a key that does not read", () => {
    const headers = standard("whsec_!!!!");
    expect(isWebhookSigned({ headers, nowMs: REFERENCE }, body, ["whsec_!!!!"])).toBe(false);
  });

  it.each([
    ["x-forgejo-signature", true],
    ["x-gitea-signature", true],
    ["x-hub-signature-256", true],
    ["webhook-signature", true],
    ["x-gitlab-token", true],
    ["x-hub-signature", false],
    ["webhook-id", false],
  ])("may be in %s: %s", (header, isOne) => {
    expect(hasWebhookSignature({ [header]: "x" })).toBe(isOne);
    expect(hasWebhookSignature({ [header]: "" })).toBe(false);
  });
});

describe("a delivery's id", () => {
  it.each([
    "x-forgejo-delivery",
    "x-gitea-delivery",
    "x-github-delivery",
    "webhook-id",
    "idempotency-key",
    "x-gitlab-event-uuid",
  ])("may be in %s", (header) => {
    expect(readDeliveryId({ [header]: "one" })).toBe("one");
  });

  it("is the forge's own where it also sends GitHub's, and none where its own cannot be kept", () => {
    expect(readDeliveryId({ "x-github-delivery": "two", "x-gitea-delivery": "one" })).toBe("one");
    expect(readDeliveryId({ "x-github-delivery": "two", "x-gitea-delivery": "o ne" })).toBeNull();
    expect(readDeliveryId({})).toBeNull();
  });

  it("is kept up to two hundred characters", () => {
    expect(readDeliveryId({ "webhook-id": "x".repeat(200) })).toBe("x".repeat(200));
    expect(readDeliveryId({ "webhook-id": "x".repeat(201) })).toBeNull();
  });
});
