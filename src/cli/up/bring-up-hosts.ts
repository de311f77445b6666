import { UnavailableError } from "../../core/errors.ts";
import type { Name } from "../../core/names.ts";
import type { Running } from "../../embedded/running.ts";
import type { Supervisor } from "../../embedded/supervisor.ts";
import { plainLine } from "../text/plain.ts";

/** What is done with the host of one node. */
export interface HostSteps {
  readonly enrol: (node: Name) => Promise<void>;
  readonly start: (node: Name) => Promise<Running>;
  readonly endServices: (node: Name) => Promise<void>;
}

export interface HostsUp {
  /** Nodes whose host was started now and not adopted. */
  readonly started: readonly Name[];
  /** A sentence for each host that did not get ready. */
  readonly troubles: readonly string[];
}

/**
 * Enrols each and starts all beside each other. One that gives no answer in time is a trouble and ends nothing: by the rest of the
 * mesh a person finds out what is wrong with it. Whatever else goes wrong is thrown, once all are through.
 */
export async function bringUpHosts(
  nodes: readonly Name[],
  supervisor: Pick<Supervisor, "keep">,
  steps: HostSteps,
): Promise<HostsUp> {
  const troubles: string[] = [];
  const enrolled: Name[] = [];
  for (const node of nodes) {
    if ((await orTrouble(troubles, node, () => steps.enrol(node).then(() => true))) !== null) enrolled.push(node);
  }
  const results = await Promise.allSettled(
    enrolled.map((node) => orTrouble(troubles, node, () => keepHost(node, supervisor, steps))),
  );
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  const started = enrolled.filter((_node, index) => {
    const result = results[index];
    return result?.status === "fulfilled" && result.value?.adopted === false;
  });
  return { started, troubles };
}

/** At its first start only: services of a host that ended later go on without it (R44). */
function keepHost(node: Name, supervisor: Pick<Supervisor, "keep">, steps: HostSteps): Promise<Running> {
  let isFirst = true;
  return supervisor.keep(`host ${node}`, async () => {
    if (!isFirst) return await steps.start(node);
    isFirst = false;
    try {
      return await steps.start(node);
    } catch (error) {
      // It brings up what it was told before, also where nobody hears it.
      await endAfter(error, () => steps.endServices(node));
      throw error;
    }
  });
}

async function endAfter(error: unknown, end: () => Promise<void>): Promise<void> {
  try {
    await end();
  } catch (ending) {
    const why = `${sayError(error)}; and its services could not be ended: ${sayError(ending)}`;
    throw new UnavailableError(why, "", { cause: error });
  }
}

async function orTrouble<T>(troubles: string[], node: Name, step: () => Promise<T>): Promise<T | null> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    // The end of a log may be long, and what is cut from a trouble is its end.
    troubles.push(
      `${node}: its host does not work, and nothing was delivered: ${plainLine(error.message, 240)} ` +
        `→ see mesh conditions; once it is put right: Ctrl-C here, and mesh up again. ${plainLine(error.next, 160)}`.trim(),
    );
    // absence is the answer: what is wrong is among the troubles.
    return null;
  }
}

function sayError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
