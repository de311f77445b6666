import type { Report } from "../../../src/core/report.ts";
import type { Accepted } from "../../../src/host/cycle/check-envelope.ts";
import type { SimulatedHost } from "../hosts/host.ts";
import { emptyDisk } from "../hosts/model-disk.ts";
import { createMachine, listGrants, textOf } from "../hosts/model-machine.ts";
import { createProcess } from "../timeline.ts";
import type { Played } from "./play-pushes.ts";

/** What the n-th declaration to a node says, counted from 0. */
export function acceptedOf({ records, open }: Played, node: string, at: number): Accepted {
  const kept = records.declarations.get(node)?.at(at);
  if (kept === undefined) throw new Error(`${at + 1} declarations to ${node} are not there`);
  const declaration = open(kept.mail.envelope);
  return { declaration, ordered: declaration.content.resources };
}

export function createHost(node: string): SimulatedHost {
  const process = createProcess(node);
  const incarnation = `host-${node}-1`;
  return { node, incarnation, process, disk: emptyDisk(), machine: createMachine(), timesPutBack: 0 };
}

/** The machine is as this declaration says. */
export function make({ machine }: SimulatedHost, { ordered }: Accepted): void {
  machine.present.clear();
  machine.granted.clear();
  for (const resource of ordered) {
    machine.present.set(resource.id, textOf(resource));
    if (resource.kind === "grant") machine.granted.set(resource.id, listGrants(resource));
  }
}

export function reportOf({ declaration }: Accepted, change: Partial<Report> = {}): Report {
  const { mesh, node, incarnation, epoch, number, digest } = declaration;
  const about = { schema: 1, mesh, node, incarnation, has: { epoch, number }, digest } as const;
  const made = { boot: 1, bootId: "b", sequence: 1, at: "2026-01-01T00:00:00.000Z", lastWordAt: null };
  return { ...about, ...made, outcome: "applied", resources: [], refusals: [], ...change };
}

/** Hooks of the records that nobody listens at. */
export const deaf = { onReverted: () => undefined, onSecondWriter: () => undefined };
