import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pushWorkflowId, roundWorkflowId } from "../../src/decide/ids.ts";
import { listPushes } from "../../src/store/pushes.ts";
import { openFlowMesh, type FlowMesh } from "./support/flow-mesh.ts";

let flow: FlowMesh;

beforeEach(async () => {
  flow = await openFlowMesh();
});

afterEach(async () => {
  await flow.close();
});

/** The largest mesh, with the longest names there are. No host of them enrolled: nothing has to be signed. */
const count = 10_000;
const names = Array.from({ length: count }, (_, at) => `node-${String(at).padStart(58, "0")}`);

async function register(): Promise<void> {
  await flow.db.query(
    `insert into node (mesh, name, address) select $1, name, 'node.test' from unnest($2::text[]) as n(name)`,
    [flow.mesh, names],
  );
}

interface Carried {
  readonly events: number;
  /** Of the largest value that an event carries, and of all of them. */
  readonly largestBytes: number;
  readonly bytes: number;
}

/** What Temporal keeps and hands around of a workflow. */
async function weigh(workflowId: string): Promise<Carried> {
  const { events = [] } = await flow.client.workflow.getHandle(workflowId).fetchHistory();
  const sizes = (events ?? []).flatMap((event) => listBytes(event));
  return {
    events: events?.length ?? 0,
    largestBytes: Math.max(0, ...sizes),
    bytes: sizes.reduce((sum, size) => sum + size, 0),
  };
}

function listBytes(value: unknown): number[] {
  if (value instanceof Uint8Array) return [value.byteLength];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listBytes) : [];
}

describe("a push that names ten thousand nodes", () => {
  it(
    "carries their names to where they are kept and no further, within what Temporal takes (R50)",
    { timeout: 300_000 },
    async () => {
      await register();
      const { result, told } = await flow.push(names);
      expect(result).toMatchObject({ outcome: "refused", rounds: 1, sent: 0, notWorkedOut: count });
      expect(told).toHaveLength(count);
      const [kept] = await listPushes(flow.db, flow.mesh, 1);
      const push = await weigh(pushWorkflowId(flow.mesh, result.push));
      const round = await weigh(roundWorkflowId(flow.mesh, result.push, 0));
      expect(kept?.named).toHaveLength(count);
      // Temporal takes 2 MiB in one value, 4 MiB in one message and 51,200 events; it suggests another run at 4,096.
      expect(push.largestBytes).toBeLessThan(700_000);
      expect(push.bytes).toBeLessThan(2 * 700_000);
      expect(push.events).toBeLessThan(50);
      expect(round.bytes).toBeLessThan(50_000);
      expect(round.events).toBeLessThan(1_000);
    },
  );
});
