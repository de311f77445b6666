import { z } from "zod";
import { type Closure, closureSchema } from "../core/artifact.ts";
import { type KnownSource, knownSourceSchema } from "../core/known-source.ts";
import { languageSchema } from "../core/manifest.ts";
import { branchSchema, digestSchema, nameSchema, objectIdSchema, treePathSchema, type Name } from "../core/names.ts";
import { buildRecordSchema } from "./builds.ts";
import type { PlannedBuildRecord } from "./builds-to-plan.ts";
import { checkOnce, orNull, RecordError } from "./check-once.ts";
import { bigintColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { type Edge, edgeSchema, flagEdge } from "./edges.ts";
import { movedSchema } from "./modules.ts";
import type { ModuleToPlan } from "./modules-to-plan.ts";
import { planPart, type PlanVersion, type Seen, toSeen, versionAndSeen, versionAndSeenRow } from "./plan-version.ts";
import { one } from "./rows.ts";
import { joinHead, sourceCommit } from "./source-commit.ts";

/** All that comparing and planning read of a mesh, at one moment. */
export interface PlanRows {
  readonly seen: Seen | null;
  readonly version: PlanVersion;
  /** As `listModulesToPlan`, `listEdges` and `listPlannedBuilds` answer them. */
  readonly modules: readonly ModuleToPlan[];
  readonly edges: readonly Edge[];
  readonly builds: readonly PlannedBuildRecord[];
}

const isText = (value: unknown): value is string => typeof value === "string";
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isTexts = (value: unknown): value is readonly string[] => isList(value) && value.every(isText);
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !isList(value);
const isTextRecord = (value: unknown): value is Readonly<Record<string, string>> =>
  isRecord(value) && Object.values(value).every(isText);

/** A column of `sql`, which is a text: it is looked at as a whole. */
const text = (sql: string) => ({ sql, schema: z.custom<readonly string[]>(isTexts) });
const textOrNull = (sql: string) => ({
  sql,
  schema: z.custom<readonly (string | null)[]>((value) => isList(value) && value.every(isTextOrNull)),
});
/** One whose values are looked at one by one. */
const any = (sql: string) => ({ sql, schema: z.custom<readonly unknown[]>(isList) });

const hasOnly = (json: string, fields: readonly string[]): string => `${json} - '{${fields.join(",")}}'::text[] = '{}'`;
/** As `Date#toISOString` prints it. */
const time = (sql: string): string => `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Column by column: a thousand rows are one, and what they have in common is looked at once. In SQL, of `m`, a module. */
const moduleColumns = {
  name: any("m.name"),
  repository: any("m.repository"),
  branch: any("m.branch"),
  path: any("m.path"),
  part: any(planPart("m.name")),
  sourceCommit: any(sourceCommit),
  // Facts that were written without saying what they were read from are read again.
  known: any("case when m.known->>'commit' = m.source_commit then m.known end"),
  moved: any("m.moved::text"),
  tree: any("m.tree"),
  thirdParties: any("m.third_parties"),
  language: any("m.manifest->>'language'"),
  problem: textOrNull("m.problem"),
  unread: textOrNull("m.unread"),
  wantedInputs: any("m.wanted_inputs"),
  fitInputs: any("m.fit_inputs"),
  fitArtifact: any("m.fit_artifact"),
};

const edgeColumns = {
  module: any("module"),
  dependency: any("dependency"),
  kind: any("kind"),
  file: text("file"),
  line: any("line"),
  typesOnly: any("types_only"),
  lastKnown: any("last_known"),
};

const buildColumns = {
  module: any("module"),
  inputs: any("inputs"),
  commit: any("commit"),
  moved: any("moved::text"),
  moves: any("moves::text"),
  state: any("state"),
  claimant: text("claimant"),
  artifact: any("artifact"),
  message: text("message"),
  nextTryAt: textOrNull(time("next_try_at")),
  startedAt: text(time("started_at")),
  heardAt: text(time("coalesce(seen_at, started_at)")),
  isClosure: any(hasOnly("closure", Object.keys(closureSchema.shape))),
  closureOf: any("closure->>'module'"),
  language: text("closure->>'language'"),
  tree: any("closure->>'tree'"),
  dependencies: any("closure->'dependencies'"),
  toolchain: text("closure->>'toolchain'"),
  builder: text("closure->>'builder'"),
  thirdParties: any("closure->>'thirdParties'"),
  settings: any("coalesce(closure->'settings', '{}')::text"),
};

type Columns = Readonly<Record<string, { readonly sql: string; readonly schema: z.ZodType }>>;
type Read<C extends Columns> = { readonly [K in keyof C]: z.output<C[K]["schema"]> };

const modulesSql = `(select ${collect(moduleColumns)} from (
          select ${list(moduleColumns)} from module m ${joinHead} where m.mesh = $1 order by m.name) row) as modules`;
const edgesSql = `(select ${collect(edgeColumns)} from (
          select ${list(edgeColumns)} from module_edge where mesh = $1 order by module, dependency, kind) row) as edges`;
const buildsSql = `(select ${collect(buildColumns)} from (
          select ${list(buildColumns)} from build where (mesh, module, inputs) in (
            select m.mesh, m.name, unnest(array[m.wanted_inputs, m.fit_inputs]) from module m where m.mesh = $1)
          order by module, inputs) row) as builds`;

const modulesRow = versionAndSeenRow.extend({ modules: schemaOf(moduleColumns) });
const othersRow = versionAndSeenRow.extend({ edges: schemaOf(edgeColumns), builds: schemaOf(buildColumns) });
const wholeRow = modulesRow.extend(othersRow.shape);

/** One statement: of one moment. A row that does not read as it should is an error, never left out (R26). */
export async function readPlanRows(db: Queryable, mesh: Name): Promise<PlanRows> {
  const sql = `select ${versionAndSeen}, ${modulesSql}, ${edgesSql}, ${buildsSql}`;
  const { modules, edges, builds, ...at } = await one(db, wholeRow, sql, [mesh]);
  const checks = createChecks();
  return {
    ...sayMoment(at),
    modules: toModules(modules, checks),
    edges: toEdges(edges, checks),
    builds: toBuilds(builds, checks),
  };
}

/** The modules alone, which a comparison begins with; the others of the same version make the whole. */
export async function readModuleRows(db: Queryable, mesh: Name): Promise<Omit<PlanRows, "edges" | "builds">> {
  const { modules, ...at } = await one(db, modulesRow, `select ${versionAndSeen}, ${modulesSql}`, [mesh]);
  return { ...sayMoment(at), modules: toModules(modules, createChecks()) };
}

export async function readOtherRows(db: Queryable, mesh: Name): Promise<Omit<PlanRows, "modules">> {
  const sql = `select ${versionAndSeen}, ${edgesSql}, ${buildsSql}`;
  const { edges, builds, ...at } = await one(db, othersRow, sql, [mesh]);
  const checks = createChecks();
  return { ...sayMoment(at), edges: toEdges(edges, checks), builds: toBuilds(builds, checks) };
}

function sayMoment({ total, ...row }: z.output<typeof versionAndSeenRow>): Pick<PlanRows, "seen" | "version"> {
  return { seen: toSeen(row), version: { server: row.server, total } };
}

function list(columns: Columns): string {
  return Object.entries(columns)
    .map(([name, { sql }]) => `${sql} as "${name}"`)
    .join(", ");
}

function collect(columns: Columns): string {
  const parts = Object.keys(columns).map((name) => `'${name}', coalesce(json_agg(row."${name}"), '[]')`);
  return `json_build_object(${parts.join(", ")})`;
}

function schemaOf<C extends Columns>(columns: C): z.ZodType<Read<C>> {
  const shape = Object.fromEntries(Object.entries(columns).map(([name, { schema }]) => [name, schema]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same keys, with the schemas that they have there
  return z.object(shape) as z.ZodType as z.ZodType<Read<C>>;
}

type Checks = ReturnType<typeof createChecks>;

function createChecks() {
  const commit = checkOnce("commit", objectIdSchema);
  const digest = checkOnce("digest", digestSchema);
  return {
    name: checkOnce("name", nameSchema),
    branch: checkOnce("branch", branchSchema),
    path: checkOnce("path", treePathSchema),
    number: checkOnce("number", z.number().int()),
    moves: orNull(checkOnce("moves", bigintColumn)),
    commit,
    commitOrNull: orNull(commit),
    digest,
    digestOrNull: orNull(digest),
    language: orNull(checkOnce("language", languageSchema)),
    moved: orNull(checkOnce("moved", jsonText.pipe(movedSchema))),
    kind: checkOnce("kind", edgeSchema.shape.kind),
    flag: checkOnce("flag", z.boolean()),
    state: checkOnce("state", buildRecordSchema.shape.state),
    isClosure: checkOnce("closure", z.literal(true)),
    settings: checkOnce("settings", jsonText.pipe(closureSchema.shape.settings)),
  };
}

const jsonText = z.string().transform((json): unknown => JSON.parse(json));

function toModules(columns: Read<typeof moduleColumns>, check: Checks): ModuleToPlan[] {
  return columns.name.map((name, at) => ({
    name: check.name(name),
    repository: check.name(columns.repository[at]),
    branch: check.branch(columns.branch[at]),
    path: check.path(columns.path[at]),
    part: check.number(columns.part[at]),
    sourceCommit: check.commitOrNull(columns.sourceCommit[at]),
    known: toKnown(columns.known[at], check),
    moved: check.moved(columns.moved[at]),
    tree: check.commitOrNull(columns.tree[at]),
    thirdParties: check.digestOrNull(columns.thirdParties[at]),
    language: check.language(columns.language[at]),
    problem: columns.problem[at] ?? null,
    unread: columns.unread[at] ?? null,
    wantedInputs: check.digestOrNull(columns.wantedInputs[at]),
    fitInputs: check.digestOrNull(columns.fitInputs[at]),
    fitArtifact: check.digestOrNull(columns.fitArtifact[at]),
  }));
}

const knownFields = Object.keys(knownSourceSchema.shape).length;

/** Null: there is none, or it is of another version's shape and as good as none: the facts are read again. */
function toKnown(value: unknown, check: Checks): KnownSource | null {
  if (!isRecord(value) || Object.keys(value).length !== knownFields) return null;
  const { commit, folder, sourceKey, namesKey, language, publishes, factsKey, uses } = value;
  if (!isText(sourceKey) || !isText(namesKey) || !isText(factsKey) || !isTextOrNull(language)) return null;
  if (!isTexts(publishes) || !isTextRecord(uses)) return null;
  try {
    const at = { commit: check.commit(commit), folder: check.commit(folder) };
    return { ...at, sourceKey, namesKey, language, publishes: [...publishes], factsKey, uses: checkKeys(uses, check) };
  } catch (error) {
    // absence is the answer: see above.
    if (error instanceof RecordError) return null;
    throw error;
  }
}

function toEdges(columns: Read<typeof edgeColumns>, check: Checks): Edge[] {
  return columns.module.map((module, at) => {
    const edge = {
      module: check.name(module),
      dependency: check.name(columns.dependency[at]),
      kind: check.kind(columns.kind[at]),
      file: columns.file[at] ?? "",
      line: check.number(columns.line[at]),
    };
    return flagEdge(edge, {
      typesOnly: check.flag(columns.typesOnly[at]),
      lastKnown: check.flag(columns.lastKnown[at]),
    });
  });
}

function toBuilds(columns: Read<typeof buildColumns>, check: Checks): PlannedBuildRecord[] {
  return columns.module.map((module, at) => ({
    module: check.name(module),
    inputs: check.digest(columns.inputs[at]),
    closure: toClosure(columns, at, check),
    commit: check.commit(columns.commit[at]),
    moved: check.moved(columns.moved[at]),
    moves: check.moves(columns.moves[at]),
    state: check.state(columns.state[at]),
    claimant: columns.claimant[at] ?? "",
    artifact: check.digestOrNull(columns.artifact[at]),
    message: columns.message[at] ?? "",
    nextTryAt: columns.nextTryAt[at] ?? null,
    startedAt: columns.startedAt[at] ?? "",
    heardAt: columns.heardAt[at] ?? "",
  }));
}

function toClosure(columns: Read<typeof buildColumns>, at: number, check: Checks): Closure {
  check.isClosure(columns.isClosure[at]);
  const dependencies = columns.dependencies[at];
  if (!isTextRecord(dependencies)) throw new RecordError("dependencies: not an object of digests");
  return {
    module: check.name(columns.closureOf[at]),
    language: columns.language[at] ?? "",
    tree: check.commit(columns.tree[at]),
    dependencies: checkDependencies(dependencies, check),
    toolchain: columns.toolchain[at] ?? "",
    builder: columns.builder[at] ?? "",
    thirdParties: check.digestOrNull(columns.thirdParties[at]),
    settings: check.settings(columns.settings[at]),
  };
}

function checkKeys(values: Readonly<Record<string, string>>, check: Checks): Record<string, string> {
  for (const key of Object.keys(values)) check.name(key);
  return values;
}

function checkDependencies(values: Readonly<Record<string, string>>, check: Checks): Closure["dependencies"] {
  for (const digest of Object.values(values)) check.digest(digest);
  return checkKeys(values, check);
}
