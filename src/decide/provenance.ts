import type { Artifact, Closure } from "../core/artifact.ts";
import type { Digest, Name, ObjectId } from "../core/names.ts";
import {
  contentAlgorithm,
  meshBuildType,
  provenanceType,
  statementType,
  type ResolvedDependency,
  type Statement,
} from "../core/provenance.ts";
import { digestValue } from "./digest.ts";
import { compareText } from "./short-names.ts";

/** One build as it went. Commit, builder and times are only here, never inside the artifact (R10). */
export interface BuildStory {
  readonly mesh: Name;
  readonly artifact: Pick<Artifact, "module" | "digest" | "blob">;
  readonly closure: Closure;
  readonly source: {
    /** Without user or password: addresses that hold one are refused when they are registered. */
    readonly url: string;
    readonly branch: string;
    readonly path: string;
    readonly commit: ObjectId;
  };
  readonly builderVersion: string;
  readonly invocationId: string;
  /** ISO. */
  readonly startedOn: string;
  readonly finishedOn: string;
}

/** The statement that is signed: `resolvedDependencies` is the input closure, all of it. */
export function makeStatement(story: BuildStory): Statement {
  const { closure, source, artifact } = story;
  return {
    _type: statementType,
    subject: [
      { name: artifact.module, digest: { sha256: hexOf(artifact.blob), [contentAlgorithm]: hexOf(artifact.digest) } },
    ],
    predicateType: provenanceType,
    predicate: {
      buildDefinition: {
        buildType: meshBuildType,
        externalParameters: {
          module: closure.module,
          language: closure.language,
          repository: source.url,
          branch: source.branch,
          path: source.path,
        },
        internalParameters: {
          inputs: digestValue(closure),
          toolchain: closure.toolchain,
          rules: closure.builder,
          settings: closure.settings,
        },
        resolvedDependencies: listResolved(story),
      },
      runDetails: {
        builder: { id: builderIdOf(story.mesh), version: { "mesh-delivery": story.builderVersion } },
        metadata: {
          invocationId: story.invocationId,
          startedOn: story.startedOn,
          finishedOn: story.finishedOn,
        },
      },
    },
  };
}

export function builderIdOf(mesh: Name): string {
  return `urn:mesh-delivery:mesh:${mesh}:builder`;
}

function listResolved({ closure, source }: BuildStory): ResolvedDependency[] {
  const artifacts = Object.entries(closure.dependencies).toSorted(([a], [b]) => compareText(a, b));
  return [
    {
      name: "source",
      uri: `git+${source.url}@refs/heads/${source.branch}`,
      digest: { gitCommit: source.commit, gitTree: closure.tree },
    },
    ...artifacts.map(([module, digest]) => ({
      name: `artifact:${module}`,
      uri: `urn:mesh-delivery:artifact:${module}`,
      digest: { [contentAlgorithm]: hexOf(digest) },
    })),
    ...(closure.thirdParties === null
      ? []
      : [
          {
            name: "third-parties",
            uri: "urn:mesh-delivery:third-parties",
            digest: { sha256: hexOf(closure.thirdParties) },
          },
        ]),
  ];
}

/** What the records say of the build that a statement is about. */
export interface RecordedStory {
  readonly mesh: Name;
  readonly artifact: Pick<Artifact, "module" | "digest" | "blob">;
  readonly inputs: Digest;
  readonly closure: Closure;
  readonly commit: ObjectId;
}

/** In what a statement differs from the records, as sentences; none: it says the same. */
export function compareStatement(statement: Statement, recorded: RecordedStory): string[] {
  const { buildDefinition, runDetails } = statement.predicate;
  const { closure, artifact } = recorded;
  const parameters = buildDefinition.internalParameters;
  const external = buildDefinition.externalParameters;
  const [subject] = statement.subject;
  const wanted = listResolved({
    ...placeholderStory(recorded),
    source: { url: external.repository, branch: external.branch, path: external.path, commit: recorded.commit },
  });
  const pairs: readonly (readonly [string, string, string])[] = [
    ["is about module", subject.name, artifact.module],
    ["is about content", subject.digest[contentAlgorithm] ?? "none", hexOf(artifact.digest)],
    ["is about bytes", subject.digest["sha256"] ?? "none", hexOf(artifact.blob)],
    ["names module", external.module, closure.module],
    ["names language", external.language, closure.language],
    ["names inputs", parameters.inputs, recorded.inputs],
    ["names toolchain", parameters.toolchain, closure.toolchain],
    ["names rules", parameters.rules, closure.builder],
    ["names settings", digestValue(parameters.settings), digestValue(closure.settings)],
    ["names builder", runDetails.builder.id, builderIdOf(recorded.mesh)],
    ...compareResolved(buildDefinition.resolvedDependencies, wanted),
  ];
  return pairs.flatMap(([what, said, known]) =>
    said === known ? [] : [`it ${what} ${said}, the records say ${known}`],
  );
}

function placeholderStory(recorded: RecordedStory): Omit<BuildStory, "source"> {
  return { ...recorded, builderVersion: "", invocationId: "", startedOn: "", finishedOn: "" };
}

function compareResolved(
  said: readonly ResolvedDependency[],
  known: readonly ResolvedDependency[],
): (readonly [string, string, string])[] {
  const names = [...new Set([...said, ...known].map(({ name }) => name))].toSorted(compareText);
  const pairs = names.map(
    (name) => [`names as ${name}`, describeResolved(said, name), describeResolved(known, name)] as const,
  );
  return [["lists inputs", String(said.length), String(known.length)], ...pairs];
}

function describeResolved(list: readonly ResolvedDependency[], name: string): string {
  const found = list.filter((one) => one.name === name);
  return found.length === 0 ? "nothing" : found.map(({ uri, digest }) => `${uri} ${digestValue(digest)}`).join(", ");
}

function hexOf(digest: Digest): string {
  return digest.slice("sha256:".length);
}
