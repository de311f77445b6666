import { compared } from "./compared-columns.ts";
import type { DatabaseRole } from "./database-role.ts";

/** `all`: the whole table, columns that come later among them. */
export type Columns = "all" | readonly string[];

/** What is not named is refused. */
export interface Rights {
  readonly select?: Columns;
  readonly insert?: Columns;
  readonly update?: Columns;
  readonly delete?: "all";
}

export interface TableRights extends Readonly<Partial<Record<DatabaseRole, Rights>>> {
  readonly table: string;
  /** Why those, and no others. */
  readonly why: string;
}

const read: Rights = { select: "all" };
const write: Rights = { select: "all", insert: "all", update: "all" };
const own: Rights = { select: "all", insert: "all", update: "all", delete: "all" };
const append: Rights = { select: "all", insert: "all", delete: "all" };
const everybodyReads = { viewer: read, operator: read, controller: read, builder: read };

/**
 * Who may write what in the records: one row for each table. A table without a row fails its test, and nobody but the
 * owner gets at it.
 */
export const tableRights: readonly TableRights[] = [
  {
    table: "mesh",
    why: "the gate: who writes it numbers. Whole, because LOCK TABLE asks for a right on the whole table. A host's word stops it. Who removes a node waits at it by one column",
    viewer: read,
    operator: { select: "all", update: ["removal_asked_at"] },
    controller: { select: "all", update: "all" },
    gateway: { select: "all", update: ["stopped_at", "stopped_for"] },
  },
  {
    table: "epoch_grant",
    why: "granted once, never taken back; only how it ended is written later",
    viewer: read,
    operator: read,
    controller: { select: "all", insert: "all", update: ["ended", "ended_at", "last_renewed_at"] },
  },
  { table: "lease", why: "held by controllers alone", viewer: read, operator: read, controller: write },
  {
    table: "root_document",
    why: "published by people, the first one by a controller; never changed. What makes one good is its signatures, not this table",
    viewer: read,
    operator: { select: "all", insert: ["mesh", "version", "envelope"] },
    controller: { select: "all", insert: ["mesh", "version", "envelope"] },
    gateway: read,
  },
  { table: "standby", why: "controllers that wait say so", viewer: read, operator: read, controller: own },
  {
    table: "repository",
    why: "people say where source is",
    ...everybodyReads,
    operator: { select: "all", insert: ["mesh", "name", "url"], update: ["url"], delete: "all" },
  },
  {
    table: "source_head",
    why: "what a look found; goes with the registration that asked for it",
    ...everybodyReads,
    operator: { select: "all", delete: "all" },
    controller: write,
  },
  {
    table: "module",
    why: "people register, the comparison says what it found, a build says what came out",
    ...everybodyReads,
    operator: {
      select: "all",
      insert: ["mesh", "name", "repository", "branch", "path"],
      update: ["path"],
      delete: "all",
    },
    controller: { select: "all", update: compared },
    builder: { select: "all", update: ["fit_inputs", "fit_artifact", "behind_since"] },
  },
  { table: "module_edge", why: "read from the imports, by nobody else", ...everybodyReads, controller: own },
  {
    table: "blob_imports",
    why: "kept by content: what is there is never changed, and goes in time",
    ...everybodyReads,
    controller: { select: "all", insert: "all", delete: "all" },
  },
  {
    table: "artifact",
    why: "made by builds, marked when it is collected; that mark goes in time",
    ...everybodyReads,
    controller: { select: "all", update: ["collected_at"], delete: "all" },
    builder: { select: "all", insert: "all", update: ["packed_at", "collected_at"] },
  },
  {
    table: "build",
    why: "a verdict is the builder's; the controller says *lost* and *collected*, and prunes",
    ...everybodyReads,
    controller: { select: "all", update: "all", delete: "all" },
    builder: write,
  },
  { table: "wave", why: "opened and accounted for by decisions", ...everybodyReads, controller: own },
  {
    table: "node",
    why: "people register a node and remove it; its keys come from its host, by a token, through the gateway alone",
    viewer: read,
    operator: { select: "all", insert: ["mesh", "name", "address"], update: ["address"], delete: "all" },
    controller: read,
    gateway: {
      select: "all",
      update: [
        "incarnation",
        "sign_key",
        "seal_key",
        "enrolled_at",
        "authority_ends_at",
        "last_contact_at",
        "refused_reports",
        "protocol",
      ],
    },
  },
  {
    table: "removed_node",
    why: "written as people remove a node; the gateway refuses its host by it",
    viewer: read,
    operator: write,
    controller: read,
    gateway: read,
  },
  {
    table: "enrolment_token",
    why: "made by people, used up by the gateway; the controller prunes what nobody can use any more",
    operator: { insert: ["hash", "mesh", "node", "expires_at", "authority_ends_at"] },
    controller: { select: ["hash", "mesh", "expires_at", "used_at"], delete: "all" },
    gateway: { select: "all", update: ["used_at"] },
  },
  {
    table: "assignment",
    why: "people say what runs where",
    viewer: read,
    operator: own,
    controller: read,
  },
  {
    table: "provision",
    why: "minted and withdrawn by pushes; that a provider read it back as made or gone comes through the gateway; with a node that people remove, the debts of its host are given up",
    viewer: read,
    operator: { select: "all", update: ["state"] },
    controller: {
      select: "all",
      insert: "all",
      update: ["state", "withdrawn_by", "withdrawn_at", "told_epoch", "told_number"],
      delete: "all",
    },
    gateway: { select: "all", update: ["state", "confirmed_at", "made_at", "missed_since"] },
  },
  { table: "sealed_box", why: "only composition needs them", controller: append },
  {
    table: "push",
    why: "asked for through Temporal, recorded by the controller",
    viewer: read,
    operator: read,
    controller: { select: "all", insert: "all", update: ["baseline_at", "ended_at", "result"], delete: "all" },
  },
  {
    table: "push_baseline",
    why: "set once, and gone when its push has ended",
    viewer: read,
    operator: read,
    controller: { select: "all", insert: "all", delete: "all" },
  },
  {
    table: "push_target",
    why: "set once for each round",
    viewer: read,
    operator: read,
    controller: { select: "all", insert: "all", delete: "all" },
  },
  { table: "told", why: "what a push did to each node", viewer: read, operator: read, controller: own },
  {
    table: "declaration",
    why: "a send: inserted in the one transaction, never changed; goes once its host left it long ago; the gateway hands it out",
    viewer: read,
    operator: read,
    builder: { select: ["mesh", "node", "epoch", "number", "builds"] },
    controller: { select: "all", insert: "all", delete: "all" },
    gateway: read,
  },
  {
    table: "pruned_declaration",
    why: "written in the statement that prunes; a host put back to one of those is judged by it",
    viewer: read,
    operator: read,
    controller: write,
    gateway: read,
  },
  {
    table: "account",
    why: "what a host reported, and nobody else's word",
    viewer: read,
    operator: read,
    controller: read,
    gateway: write,
  },
  {
    table: "condition",
    why: "opened and closed by what watches it; those of a registration go with it",
    ...everybodyReads,
    operator: { select: "all", delete: "all" },
    controller: own,
    gateway: write,
    builder: own,
  },
  {
    table: "host_claim",
    why: "what a host says that it has, and nobody else's word; a recovery marks what it left out",
    viewer: read,
    operator: read,
    controller: { select: "all", update: ["left_out_at", "left_out_by"] },
    gateway: own,
  },
  {
    table: "recovery",
    why: "who went on above what hosts have, written once as it is done",
    viewer: read,
    operator: read,
    controller: { select: "all", insert: "all" },
    gateway: read,
  },
  {
    table: "restore",
    why: "written by the owner alone, as a backup is read in",
    viewer: read,
    operator: read,
    controller: read,
    gateway: read,
  },
  {
    table: "webhook_delivery",
    why: "kept for as long as a delivery can be repeated",
    viewer: read,
    gateway: { select: "all", insert: ["mesh", "source", "delivery"] },
    controller: { select: "all", delete: "all" },
  },
  {
    table: "build_surroundings",
    why: "what the controller builds with, for who explains a plan elsewhere",
    ...everybodyReads,
    controller: write,
  },
  {
    table: "provenance",
    why: "signed by the builder; goes when its bytes are collected",
    ...everybodyReads,
    controller: { select: "all", delete: "all" },
    builder: { select: "all", insert: "all" },
  },
  {
    table: "build_check",
    why: "second builds are the builder's; the controller prunes",
    ...everybodyReads,
    controller: { select: "all", delete: "all" },
    builder: own,
  },
  {
    table: "artifact_doubt",
    why: "anybody who may ask for a build asks; the controller says what is lost",
    ...everybodyReads,
    operator: {
      select: "all",
      insert: ["mesh", "module", "artifact", "asked_by"],
      update: ["asked_by", "asked_at", "state", "found"],
    },
    controller: own,
    builder: write,
  },
  {
    table: "build_log",
    why: "what a build prints while it runs",
    ...everybodyReads,
    builder: { select: "all", insert: "all", delete: "all" },
  },
  {
    table: "schema_migration",
    why: "written by the owner alone, as tables are made",
    viewer: read,
    operator: read,
    controller: read,
  },
];
