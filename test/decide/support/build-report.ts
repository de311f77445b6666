import type { Declaration, Order } from "../../../src/core/declaration.ts";
import { reportSchema, type Report, type ResourceReport } from "../../../src/core/report.ts";
import { digestValue } from "../../../src/decide/digest.ts";
import { digestNamed } from "./build-world.ts";

export const reference = "2026-03-01T12:00:00.000Z";

/** `reference` and so many minutes. */
export function minutesLater(minutes: number): string {
  return new Date(Date.parse(reference) + minutes * 60_000).toISOString();
}

/** A report of node-a about declaration 1.7: all applied, unless said otherwise. */
export function buildReport(parts: Partial<Report> = {}): Report {
  return reportSchema.parse({
    schema: 1,
    mesh: "example",
    node: "node-a",
    incarnation: "host-node-a",
    has: { epoch: 1, number: 7 },
    digest: digestNamed("content of 7"),
    boot: 1,
    bootId: "boot-1",
    sequence: 1,
    at: reference,
    lastWordAt: reference,
    outcome: "applied",
    resources: [],
    refusals: [],
    ...parts,
  });
}

export function resourceRow(id: string, state: ResourceReport["state"], message = ""): ResourceReport {
  return { id, state, message };
}

/** A report in which these resources fail. */
export function failedReport(sequence: number, failing: Readonly<Record<string, string>>, has?: Order): Report {
  const resources = Object.entries(failing).map(([id, message]) => resourceRow(id, "failed", message));
  return buildReport({ sequence, outcome: "failed", resources, ...(has === undefined ? {} : { has }) });
}

/** A declaration for node-a that its host would take. */
export function buildDeclaration(parts: Partial<Declaration> = {}): Declaration {
  const content = parts.content ?? { node: "node-a", builds: {}, resources: [] };
  return {
    schema: 1,
    mesh: "example",
    node: "node-a",
    incarnation: "host-node-a",
    epoch: 1,
    number: 7,
    issuedAt: reference,
    staleAfter: minutesLater(60),
    digest: digestValue(content),
    content,
    sealed: [],
    ...parts,
  };
}
