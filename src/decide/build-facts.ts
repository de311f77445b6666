import type { Closure } from "../core/artifact.ts";
import type { Digest, Name, ObjectId } from "../core/names.ts";

/** Everything the planning of builds reads, at one moment. */
export interface BuildFacts {
  readonly modules: ReadonlyMap<Name, ModuleFacts>;
  /** By `buildKey(module, inputs)`. */
  readonly builds: ReadonlyMap<string, RecordedBuild>;
  /** By `buildKey(module, artifact)`: builds of what something was built against and is not any more. May be left out. */
  readonly makers: ReadonlyMap<string, MadeBy>;
  /** Compiler and runtime by language. */
  readonly toolchains: Readonly<Record<string, string>>;
  /** Version of the builder's own rules by language. */
  readonly builders: Readonly<Record<string, string>>;
  /** `buildKey`s of what runs now. */
  readonly running: ReadonlySet<string>;
  /** ISO. */
  readonly now: string;
  /** A build recorded as under way for longer, that nobody runs, is lost. */
  readonly lostAfterMs: number;
}

export interface ModuleFacts {
  readonly module: Name;
  readonly commit: ObjectId;
  /** The first commit that was compared with this source: what moved it; null: not known. */
  readonly moved: CommitFacts | null;
  /** Git tree id of its folder. */
  readonly tree: ObjectId;
  readonly language: string;
  /** Of `Closure`. */
  readonly thirdParties: Digest | null;
  /** Settings of the mesh that reach its build. */
  readonly settings: Readonly<Record<string, string>>;
  /** Why it cannot be built at all (a manifest refused, an import nobody publishes); null: it can. */
  readonly problem: string | null;
  /** Why its source could not be read though it had to be: the rest is what was known before. Null, or left out: it was. */
  readonly unread?: string | null;
  readonly edges: readonly BuildEdge[];
  /** Its last fit build: what it is out of date *against*. */
  readonly lastFit: LastFit | null;
}

/** A commit, for people. */
export interface CommitFacts {
  readonly id: ObjectId;
  readonly subject: string | null;
  /** ISO, in UTC. */
  readonly at: string | null;
}

export interface BuildEdge {
  readonly dependency: Name;
  readonly kind: "build" | "test";
  readonly file: string;
  readonly line: number;
  /** A build edge whose every import is of types alone: it counts as any other, and is said where imports go round. */
  readonly typesOnly?: true | undefined;
  /** Not seen in the newest source, of which not all can be read: it says who imports what, and no plan is made of it. */
  readonly lastKnown?: true | undefined;
}

export interface LastFit {
  readonly closure: Closure;
  readonly commit: ObjectId;
  readonly moved: CommitFacts | null;
  readonly artifact: Digest;
}

export interface RecordedBuild {
  readonly state: "building" | "fit" | "unfit" | "outstanding";
  readonly artifact: Digest | null;
  readonly message: string;
  /** When its present attempt began. */
  readonly startedAt: string;
  /** When its worker was last heard of; before that, when it began. */
  readonly heardAt: string;
  /** When an outstanding one is tried again. */
  readonly nextTryAt: string | null;
}

/** The build that made an artifact: what an artifact that moved is explained by. */
export type MadeBy = Pick<LastFit, "closure" | "commit" | "moved">;

/** `core@sha256:…`, of a build by its inputs or its artifact. */
export function buildKey(module: Name, inputs: Digest): string {
  return `${module}@${inputs}`;
}
