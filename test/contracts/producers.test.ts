import { readdir, readFile } from "node:fs/promises";
import type { Client } from "@temporalio/client";
import { describe, expect, it } from "vitest";
import {
  buildRequestSchema,
  pushRequestSchema,
  readWorkflowInput,
  tellRequestSchema,
} from "../../src/activities/workflow-input.ts";
import { createControllerClient } from "../../src/worker/client.ts";
import { readGolden } from "./contracts.ts";

const schemas = { openPush: pushRequestSchema, tell: tellRequestSchema, buildModule: buildRequestSchema } as const;

describe("what starts a push", () => {
  it("is written by the command line as the golden one is (R42)", async () => {
    const started: unknown[] = [];
    const client = {
      workflow: {
        start: (_type: string, options: { readonly args: readonly unknown[] }) => {
          started.push(options.args[0]);
          return Promise.resolve({ result: () => Promise.reject(new Error("nobody waits here")) });
        },
      },
    };
    const golden = (await readGolden("workflow-push", "demo")).value as Record<string, unknown>;
    const { schema: _schema, push: _push, ...order } = golden;
    const controller = createControllerClient(client as unknown as Client, () => Promise.resolve());
    const { pushId } = await controller.startPush(order as unknown as Parameters<typeof controller.startPush>[0]);
    expect(started).toEqual([{ ...golden, push: pushId }]);
    expect(readWorkflowInput(pushRequestSchema, "demo", started[0])).toMatchObject({ push: pushId });
  });
});

interface Payload {
  readonly data: string;
}
interface Event {
  readonly activityTaskScheduledEventAttributes?: {
    readonly activityType: { readonly name: string };
    readonly input?: { readonly payloads: readonly Payload[] };
  };
}

describe("what workflows of before asked of activities", () => {
  it("is still taken, for every recorded history (R42, R50)", async () => {
    const folder = new URL("../histories/", import.meta.url);
    const files = (await readdir(folder)).filter((name) => name.endsWith(".json"));
    const seen = new Set<string>();
    for (const file of files) {
      const { events } = JSON.parse(await readFile(new URL(file, folder), "utf8")) as { readonly events: Event[] };
      for (const { activityTaskScheduledEventAttributes: asked } of events) {
        const name = asked?.activityType.name as keyof typeof schemas | undefined;
        if (name === undefined || !(name in schemas)) continue;
        const data = asked?.input?.payloads[0]?.data ?? "";
        const value = JSON.parse(Buffer.from(data, "base64").toString()) as { readonly mesh: string };
        expect(() => readWorkflowInput<{ mesh: string }>(schemas[name], value.mesh, value), file).not.toThrow();
        seen.add(name);
      }
    }
    expect([...seen].toSorted()).toEqual(Object.keys(schemas).toSorted());
  });

  it("is refused of another mesh, and a name that is none is said (case 57)", () => {
    const input = { mesh: "other", module: "page", inputs: `sha256:${"9".repeat(64)}` };
    expect(() => readWorkflowInput(buildRequestSchema, "demo", input)).toThrow(
      /mesh other, this controller acts for demo/,
    );
    const hostile = { ...input, mesh: "demo", module: "../../etc" };
    expect(() => readWorkflowInput(buildRequestSchema, "demo", hostile)).toThrow(/does not fit: module/);
  });
});
