import { readFile } from "node:fs/promises";
import { declarationSchema, type PayloadKind } from "../../src/core/declaration.ts";
import { closureSchema } from "../../src/core/artifact.ts";
import { knownSourceSchema } from "../../src/core/known-source.ts";
import { statementSchema } from "../../src/core/provenance.ts";
import { pushResultSchema } from "../../src/core/push.ts";
import { recoverySchema } from "../../src/core/recovery.ts";
import { reportSchema } from "../../src/core/report.ts";
import {
  buildRequestSchema,
  pushRequestSchema,
  readWorkflowInput,
  tellRequestSchema,
} from "../../src/activities/workflow-input.ts";
import { openDeclaration, sealDeclaration } from "../../src/link/declaration-envelope.ts";
import { formatEnrolmentToken, parseEnrolmentToken } from "../../src/link/enrolment-token.ts";
import { signEnvelope } from "../../src/link/envelope.ts";
import { incarnationOf, type SigningKey } from "../../src/link/keys.ts";
import { openProvenance, sealProvenance } from "../../src/link/provenance-envelope.ts";
import { openRecovery, writeRecovery } from "../../src/link/recovery-envelope.ts";
import { openReport, openUnorderedReport, sealReport } from "../../src/link/report-envelope.ts";
import { createRoot, rootSchema, verifyRoot } from "../../src/link/root.ts";
import { askContracts } from "./ask-contracts.ts";
import { keys, REFERENCE } from "./fixed-keys.ts";

/** What becomes of a member that the reader does not know. */
export type UnknownMember = "ignored" | "refused";

export interface Contract {
  /** Folder of its golden messages below this one. */
  readonly kind: string;
  readonly version: string;
  /** Member that says the version, where the message has one. */
  readonly versionMember: string | null;
  readonly unknown: UnknownMember;
  /** Why unknown members are taken so. */
  readonly why: string;
  /** Members that may be missing: written by programs before them, or by choice. */
  readonly optional: readonly string[];
  readonly golden: readonly string[];
  readonly producer: string;
  readonly consumer: string;
  /** From a message's value to the bytes that travel, by the product's own code; null: another program makes it. */
  readonly write: ((value: unknown) => string) | null;
  /** From a value that nobody checked to the bytes that travel, so that a reader meets what no producer of ours makes. */
  readonly wrap: (value: unknown) => string;
  /** The product's own reader. Throws, or answers what it took from it. */
  readonly read: (text: string) => unknown;
}

/** Of one kind: `<kind>/<name>.json` is the value, `<kind>/<name>.wire` what travels where that is something else. */
export async function readGolden(kind: string, name: string): Promise<{ value: unknown; wire: string | null }> {
  const folder = new URL(`./${kind}/`, import.meta.url);
  const value: unknown = JSON.parse(await readFile(new URL(`${name}.json`, folder), "utf8"));
  try {
    return { value, wire: (await readFile(new URL(`${name}.wire`, folder), "utf8")).trimEnd() };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return { value, wire: null };
    throw error;
  }
}

const json = (value: unknown): string => JSON.stringify(value);
const signedBy = (kind: PayloadKind, key: SigningKey) => (value: unknown) =>
  signEnvelope(kind, Buffer.from(json(value)), [key]).toString();

/** The product says why; here that is an error like every other. */
function taken<T>(answer: { readonly ok: boolean; readonly check?: string; readonly message?: string } & T): T {
  if (!answer.ok) throw new Error(`${answer.check}: ${answer.message}`);
  return answer;
}

const believed = verifyRoot(
  createRoot(
    {
      schema: 1,
      mesh: "demo",
      version: 1,
      threshold: 1,
      keys: (["root", "declaration", "provenance"] as const).map((role) => ({
        publicKey: keys[role].publicKey,
        roles: [role],
        notBefore: "2026-01-01T00:00:00.000Z",
        notAfter: "2027-01-01T00:00:00.000Z",
      })),
    },
    [keys.root],
  ),
  { mesh: "demo" },
);
if (!believed.ok) throw new Error(believed.message);
const { root } = believed;

const linkContracts: readonly Contract[] = [
  {
    kind: "declaration",
    version: "1",
    versionMember: "schema",
    unknown: "ignored",
    why: "a newer controller may say more about a declaration; inside `content`, which is what is applied, it is refused",
    optional: [],
    golden: ["full", "empty"],
    producer: "src/link/declaration-envelope.ts",
    consumer: "src/link/declaration-envelope.ts",
    write: (value) => sealDeclaration(declarationSchema.parse(value), [keys.declaration]).toString(),
    wrap: signedBy("declaration", keys.declaration),
    read(text) {
      const mine = { mesh: "demo", node: "node-a", incarnation: incarnationOf(keys.host.publicKey) };
      const opened = openDeclaration(Buffer.from(text), { root, ...mine, nowMs: REFERENCE });
      return opened.ok ? opened.declaration : taken(opened);
    },
  },
  {
    kind: "report",
    version: "1",
    versionMember: "schema",
    unknown: "ignored",
    why: "a host that is newer than its controller must still be heard",
    optional: ["disks", "unread", "repeats", "readBack"],
    golden: ["applied", "refused", "tight-disk", "heartbeat"],
    producer: "src/link/report-envelope.ts",
    consumer: "src/link/report-envelope.ts",
    write: (value) => sealReport(reportSchema.parse(value), keys.host).toString(),
    wrap: signedBy("report", keys.host),
    read(text) {
      const from = { mesh: "demo", node: "node-a", signKey: keys.host.publicKey };
      const opened = openReport(Buffer.from(text), from);
      return opened.ok ? opened.report : taken(opened);
    },
  },
  {
    kind: "report-unordered",
    version: "1",
    versionMember: "schema",
    unknown: "ignored",
    why: "of hosts that do not keep order (R37); what ordered ones say besides is left to them",
    optional: [],
    golden: ["applied"],
    producer: "hosts of before",
    consumer: "src/link/report-envelope.ts",
    write: null,
    wrap: signedBy("report", keys.host),
    read(text) {
      const from = { mesh: "demo", node: "node-a", signKey: keys.host.publicKey };
      const opened = openUnorderedReport(Buffer.from(text), from);
      return opened.ok ? opened.report : taken(opened);
    },
  },
  {
    kind: "root",
    version: "1",
    versionMember: "schema",
    unknown: "ignored",
    why: "hosts of before must be able to walk past a root that says more",
    optional: ["expiresAt"],
    golden: ["first"],
    producer: "src/link/root.ts",
    consumer: "src/link/root.ts",
    write: (value) => createRoot(rootSchema.parse(value), [keys.root]).toString(),
    wrap: signedBy("root", keys.root),
    read(text) {
      const opened = verifyRoot(Buffer.from(text), { mesh: "demo" });
      return opened.ok ? opened.root : taken(opened);
    },
  },
  {
    kind: "provenance",
    version: "in-toto v1, SLSA v1",
    versionMember: "predicateType",
    unknown: "refused",
    why: "we write it and we read it: what we did not write is not ours",
    optional: [],
    golden: ["page"],
    producer: "src/link/provenance-envelope.ts",
    consumer: "src/link/provenance-envelope.ts",
    write: (value) => sealProvenance(statementSchema.parse(value), keys.provenance).toString(),
    wrap: signedBy("provenance", keys.provenance),
    read(text) {
      const opened = openProvenance(Buffer.from(text), { root, keptAtMs: REFERENCE });
      return opened.ok ? opened.statement : taken(opened);
    },
  },
  {
    kind: "recovery",
    version: "1",
    versionMember: "schema",
    unknown: "refused",
    why: "it lowers the fence of a host: nothing in it is guessed",
    optional: [],
    golden: ["node-a"],
    producer: "src/link/recovery-envelope.ts",
    consumer: "src/link/recovery-envelope.ts",
    write: (value) => writeRecovery(recoverySchema.parse(value), [keys.root]).toString(),
    wrap: signedBy("recovery", keys.root),
    read(text) {
      const opened = openRecovery(Buffer.from(text), { root, nowMs: REFERENCE });
      return opened.ok ? opened.recovery : taken(opened);
    },
  },
  {
    kind: "enrolment-token",
    version: "mesh1.",
    versionMember: null,
    unknown: "refused",
    why: "it is pasted by a person: anything odd in it is a mistake or worse",
    optional: [],
    golden: ["node-a"],
    producer: "src/link/enrolment-token.ts",
    consumer: "src/link/enrolment-token.ts",
    write: (value) => formatEnrolmentToken(value as Parameters<typeof formatEnrolmentToken>[0]),
    wrap: (value) => `mesh1.${Buffer.from(json(value)).toString("base64url")}`,
    read: parseEnrolmentToken,
  },
];

const byWorkflow = (kind: string, schema: Parameters<typeof readWorkflowInput>[0], by: string): Contract => ({
  kind,
  version: "1",
  versionMember: null,
  unknown: "ignored",
  why: "a newer program may have started the workflow; its type and task queue say the version",
  optional: [],
  golden: ["demo"],
  producer: by,
  consumer: "src/activities/workflow-input.ts",
  write: null,
  wrap: json,
  read: (text) => readWorkflowInput(schema, "demo", JSON.parse(text)),
});

const recordContracts: readonly Contract[] = [
  { ...byWorkflow("workflow-push", pushRequestSchema, "src/worker/client.ts"), versionMember: "schema" },
  byWorkflow("workflow-tell", tellRequestSchema, "src/workflows/round.ts"),
  byWorkflow("workflow-build", buildRequestSchema, "src/workflows/reconcile-round.ts"),
  {
    kind: "push-result",
    version: "1",
    versionMember: null,
    unknown: "refused",
    why: "the command that reads it is of the same program; another one says so and does not guess",
    optional: [],
    golden: ["settled"],
    producer: "src/activities/close-push.ts",
    consumer: "src/worker/client.ts",
    write: null,
    wrap: json,
    read: (text) => pushResultSchema.parse(JSON.parse(text)),
  },
  {
    kind: "closure",
    version: "by its members",
    versionMember: null,
    unknown: "refused",
    why: "its digest names a build: a member that is left out would be another build under the same name",
    optional: ["thirdParties", "settings"],
    golden: ["page", "before-third-parties"],
    producer: "src/activities/build.ts",
    consumer: "src/store/builds.ts",
    write: null,
    wrap: json,
    read: (text) => closureSchema.parse(JSON.parse(text)),
  },
  {
    kind: "known-source",
    version: "by its members",
    versionMember: null,
    unknown: "refused",
    why: "only a saving: a record of another shape is read anew from the source",
    optional: [],
    golden: ["page"],
    producer: "src/activities/compare-all.ts",
    consumer: "src/store/modules-to-plan.ts",
    write: null,
    wrap: json,
    read: (text) => knownSourceSchema.parse(JSON.parse(text)),
  },
];

export const contracts: readonly Contract[] = [...linkContracts, ...recordContracts, ...askContracts];
