import { createHmac, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { request } from "node:https";
import type { MeshConnection } from "../../src/cli/mesh-connection.ts";

/** One delivery as GitHub signs it. Resolves when the gateway has answered 202; rejects at any other answer. */
export async function postWebhook({ setup, paths }: MeshConnection, source: string, secret: string): Promise<void> {
  const body = JSON.stringify({ ref: "refs/heads/main", repository: { full_name: `bench/${source}` } });
  const { host, port } = setup.gateway;
  const ca = await readFile(paths.authority, "utf8");
  const headers = {
    "content-type": "application/json",
    "x-github-event": "push",
    "x-github-delivery": randomUUID(),
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  };
  await new Promise<void>((resolve, reject) => {
    const asked = request(
      { host, port, path: `/v1/webhooks/${source}`, method: "POST", ca, headers, agent: false },
      (answer) => {
        answer.resume();
        if (answer.statusCode === 202) answer.once("end", resolve);
        else reject(new Error(`the gateway answered ${answer.statusCode} to a webhook`));
      },
    );
    asked.once("error", reject);
    asked.end(body);
  });
}
