import { createHmac, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { z } from "zod";
import { webhookSecret, type FaultBed } from "../mesh/bed.ts";
import { readEpoch } from "../mesh/hand-over.ts";
import { pushShop } from "../mesh/workload.ts";
import type { Scenario } from "./scenario.ts";

const perSecond = 1_000;
const seconds = 6;

export const loadScenarios: readonly Scenario[] = [
  {
    name: "webhook-storm",
    what: `${perSecond} webhooks a second for ${seconds} s during a push: each is answered, the lease is kept, and few looks come of it (R7, R34)`,
    group: "load",
    async run(bed) {
      await bed.controllers.waitForHolder();
      const epoch = await readEpoch(bed);
      const count = async (): Promise<number> => (await bed.read("select 1 from webhook_delivery")).length;
      const kept = await count();
      const push = await pushShop(bed);
      const fromMs = performance.now();
      const answers = await storm(bed);
      const tookMs = performance.now() - fromMs;
      await push.answered;
      const total = [...answers.values()].reduce((sum, one) => sum + one, 0);
      bed.say(
        `  ${total} webhooks, the last one answered after ${(tookMs / 1000).toFixed(1)} s: ${[...answers].map(([code, many]) => `${many} × ${code}`).join(", ")}`,
      );
      // A machine that lags sends what is due at once: above the gateway's limit for one address that is refused, with
      // when to come again. The next look makes up for it (R7).
      const refused = answers.get("429") ?? 0;
      if ((answers.get("202") ?? 0) + refused !== total) throw new Error("a webhook was not answered");
      if (refused > total / 10) throw new Error(`${refused} of ${total} webhooks were too many for the gateway`);
      if ((await readEpoch(bed)) !== epoch) throw new Error("load alone lost the lease (R34)");
      const looked = (await count()) - kept;
      if (looked > total / 2) throw new Error(`${looked} of ${total} webhooks were written down one by one`);
    },
  },
];

/** How many got which answer. Sent by the clock, not by the answers: a slow controller gets no rest. */
async function storm(bed: FaultBed): Promise<Map<string, number>> {
  const meshSchema = z.object({ gateway: z.object({ host: z.string(), port: z.number() }) });
  const { gateway } = meshSchema.parse(JSON.parse(await readFile(join(bed.state, "mesh.json"), "utf8")));
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 64,
    ca: await readFile(join(bed.state, "keys", "authority.pem"), "utf8"),
  });
  const body = Buffer.from(JSON.stringify({ ref: "refs/heads/main" }));
  const signature = createHmac("sha256", webhookSecret).update(body).digest("hex");
  const answers = new Map<string, number>();
  const count = (answer: string): unknown => answers.set(answer, (answers.get(answer) ?? 0) + 1);
  const send = (): Promise<void> =>
    new Promise((resolve) => {
      const asked = request(
        {
          ...gateway,
          method: "POST",
          path: "/v1/webhooks/forge",
          agent,
          headers: {
            "content-type": "application/json",
            "content-length": body.length,
            "x-gitea-signature": signature,
            "x-gitea-delivery": randomUUID(),
          },
        },
        (response) => {
          response.resume();
          count(String(response.statusCode));
          response.once("close", resolve);
        },
      );
      asked.once("error", (error: NodeJS.ErrnoException) => {
        count(error.code ?? error.message);
        resolve();
      });
      asked.end(body);
    });
  const sent: Promise<void>[] = [];
  const startMs = performance.now();
  while (sent.length < perSecond * seconds) {
    const due = Math.min(perSecond * seconds, ((performance.now() - startMs) / 1_000) * perSecond);
    while (sent.length < due) sent.push(send());
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all(sent);
  agent.destroy();
  return answers;
}
