import type { Declaration, Order } from "../../../src/core/declaration.ts";
import type { Provision } from "../../../src/core/provision.ts";
import type { Report } from "../../../src/core/report.ts";
import type { Resource } from "../../../src/core/resource.ts";
import { digestValue } from "../../../src/decide/digest.ts";
import { digestOf, reportOf } from "../../store/open-records.ts";
import { fixedMoment } from "./both-stores.ts";

/** What was sent, as far as a report names it. */
export interface SentOrder extends Order {
  readonly node: string;
  readonly digest: string;
}

interface ReportStep {
  readonly node: string;
  readonly sequence: number;
  readonly outcome: "applied" | "failed";
  /** The provider's host reads the first provision back as there. */
  readonly present: boolean;
  readonly isOther: boolean;
  /** That there is a later report of it than any here. */
  readonly wasTold: boolean;
}

export function provisionFor(consumer: string, version: number): Provision {
  return {
    id: `${consumer}.both.table@node-c.rows.host-node-c-1`,
    version,
    kind: "postgresql",
    consumer: { node: consumer, module: "both", requirement: "table" },
    provider: { node: "node-c", module: "rows", incarnation: "host-node-c-1" },
    name: `db_${consumer.replaceAll("-", "_")}`,
    state: "issued",
  };
}

/** Of `page`: the one that is fit, and one that nobody has. */
const builds = { fit: digestValue("page build 1"), old: digestOf("an old page") };

/** What is offered by who grants. */
export const offered = { module: "rows", kind: "postgresql", endpoint: { host: "10.0.0.3", port: 5432 } } as const;

export function declarationOf(
  mesh: string,
  to: string,
  order: { epoch: number; number: number },
  { grants, build }: { readonly grants: boolean; readonly build: "fit" | "old" | null },
): Declaration {
  const { id, version, consumer, name } = provisionFor("node-a", 1);
  const grant: Resource = {
    id: "grant/rows/postgresql",
    kind: "grant",
    after: [],
    module: "rows",
    provider: "postgresql",
    endpoint: { host: "10.0.0.3", port: 5432 },
    admin: "x",
    adminUser: "x",
    adminPasswordFile: "x",
    grants: [{ provision: id, version, consumer, name }],
  };
  return {
    schema: 1,
    mesh,
    node: to,
    incarnation: `host-${to}-1`,
    ...order,
    issuedAt: fixedMoment,
    staleAfter: fixedMoment,
    digest: digestOf(`${to} ${order.number}`),
    content: { node: to, builds: build === null ? {} : { page: builds[build] }, resources: grants ? [grant] : [] },
    sealed: [],
  };
}

export function reportFor(
  mesh: string,
  { node: name, sequence, outcome, present, isOther, wasTold }: ReportStep,
  known: SentOrder | null,
): Report {
  const has = known === null ? null : { epoch: known.epoch, number: known.number };
  const { id: provision, version } = provisionFor("node-a", 1);
  const provisions = present ? [{ provision, version }] : [];
  const state = outcome === "applied" ? ("applied" as const) : ("failed" as const);
  return {
    ...reportOf(name, { has, sequence, digest: known?.digest ?? null }),
    mesh,
    ...(wasTold ? { behind: { has: { epoch: 1_000, number: 1 }, boot: 1, sequence: 1 } } : {}),
    incarnation: isOther ? "somebody else" : `host-${name}-1`,
    outcome,
    resources: [{ id: "grant/rows/postgresql", state, message: "contract", provisions }],
  };
}
