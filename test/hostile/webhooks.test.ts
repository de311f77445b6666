import { describe, expect, it } from "vitest";
import { isWebhookSigned, readDeliveryId } from "../../src/link/gateway/webhook-signature.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { goodHooks, hostileHooks, nowMs, secret, type Hook } from "./webhooks.ts";

const isSigned = ({ headers, body }: Hook, secrets: readonly string[] = [secret]): boolean =>
  isWebhookSigned({ headers, nowMs }, body, secrets);

describe("hostile webhooks (case 56)", () => {
  it.each(goodHooks)("lets %s through, or the rest would show nothing", (_, hook) => {
    expect(isSigned(hook)).toBe(true);
    expect(isSigned(hook, ["the next secret", secret])).toBe(true);
  });

  it.each(goodHooks)("refuses %s where there is no secret, or an empty one", (_, hook) => {
    expect(isSigned(hook, [])).toBe(false);
    expect(isSigned(hook, [""])).toBe(false);
  });

  it.each(hostileHooks)("refuses %s", (_, hook) =>
    expectRefusal(() => (isSigned(hook) ? null : { message: "signature" })),
  );

  it("keeps no delivery id that is not a plain word", () => {
    for (const id of ["a\nb", "\u0000", "x".repeat(10_000), "a b", "\u202e"]) {
      expect(readDeliveryId({ "x-github-delivery": id })).toBeNull();
    }
  });
});
