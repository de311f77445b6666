import { createHmac } from "node:crypto";

/** One request of a forge: its headers and its body. */
export type Hook = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

export const secret = "sixteen-characters-and-more";
export const nowMs = Date.parse("2026-01-01T00:00:00.000Z");

const body = Buffer.from('{"ref":"refs/heads/main"}', "utf8");
const hmac = (key = secret, over: Buffer | string = body): string =>
  createHmac("sha256", key).update(over).digest("hex");
const seconds = String(nowMs / 1000);
const standard = (id: string, at: string, key = secret): string =>
  `v1,${createHmac("sha256", key).update(`${id}.${at}.`).update(body).digest("base64")}`;

const hook = (headers: Readonly<Record<string, string>>, over: Buffer = body): Hook => ({ headers, body: over });

export const goodHooks: readonly (readonly [situation: string, hook: Hook])[] = [
  ["GitHub", hook({ "x-hub-signature-256": `sha256=${hmac()}` })],
  ["GitLab's token", hook({ "x-gitlab-token": secret })],
  [
    "Standard Webhooks",
    hook({ "webhook-signature": standard("id", seconds), "webhook-id": "id", "webhook-timestamp": seconds }),
  ],
  ["Gitea", hook({ "x-gitea-signature": hmac(), "x-github-event": "push" })],
  ["Forgejo", hook({ "x-forgejo-signature": hmac(), "x-gitea-signature": hmac() })],
];

/** Case 56: what nobody who knows the secret would send. */
export const hostileHooks: readonly (readonly [situation: string, hook: Hook])[] = [
  ["no signature", hook({})],
  ["an empty signature", hook({ "x-hub-signature-256": "" })],
  ["a signature of another secret", hook({ "x-hub-signature-256": `sha256=${hmac("another secret, as long")}` })],
  ["a signature with an empty secret", hook({ "x-hub-signature-256": `sha256=${hmac("")}` })],
  ["a signature over another body", hook({ "x-hub-signature-256": `sha256=${hmac(secret, "{}")}` })],
  ["a body that was changed", hook({ "x-hub-signature-256": `sha256=${hmac()}` }, Buffer.from("{}"))],
  [
    "a body with a newline behind it",
    hook({ "x-hub-signature-256": `sha256=${hmac()}` }, Buffer.concat([body, Buffer.from("\n")])),
  ],
  ["a short signature", hook({ "x-hub-signature-256": `sha256=${hmac().slice(0, 32)}` })],
  ["a long signature", hook({ "x-hub-signature-256": `sha256=${hmac()}00` })],
  ["a signature that is no hex", hook({ "x-hub-signature-256": `sha256=${"z".repeat(64)}` })],
  ["a signature without its prefix", hook({ "x-hub-signature-256": hmac() })],
  ["the older sha1", hook({ "x-hub-signature": `sha1=${createHmac("sha1", secret).update(body).digest("hex")}` })],
  ["another algorithm named", hook({ "x-hub-signature-256": `sha1=${hmac()}` })],
  ["Gitea's with GitHub's prefix", hook({ "x-gitea-signature": `sha256=${hmac()}` })],
  [
    "a good one under a bad one",
    hook({ "x-gitea-signature": "0".repeat(64), "x-hub-signature-256": `sha256=${hmac()}` }),
  ],
  ["half of GitLab's token", hook({ "x-gitlab-token": secret.slice(0, 8) })],
  ["GitLab's token with a blank", hook({ "x-gitlab-token": `${secret} ` })],
  ["a digest for GitLab's token", hook({ "x-gitlab-token": hmac() })],
  [
    "a standard one of yesterday",
    hook({ "webhook-signature": standard("id", "1"), "webhook-id": "id", "webhook-timestamp": "1" }),
  ],
  ["a standard one without a time", hook({ "webhook-signature": standard("id", seconds), "webhook-id": "id" })],
  [
    "a standard one under another id",
    hook({ "webhook-signature": standard("id", seconds), "webhook-id": "x", "webhook-timestamp": seconds }),
  ],
  [
    "a standard one of another version",
    hook({
      "webhook-signature": standard("id", seconds).replace("v1", "v2"),
      "webhook-id": "id",
      "webhook-timestamp": seconds,
    }),
  ],
  ["a megabyte for a signature", hook({ "x-hub-signature-256": `sha256=${"0".repeat(1_000_000)}` })],
  [
    "a thousand standard signatures",
    hook({ "webhook-signature": "v1,AAAA ".repeat(1000), "webhook-id": "id", "webhook-timestamp": seconds }),
  ],
];
