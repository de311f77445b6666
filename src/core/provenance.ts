import { z } from "zod";

/** Names we give to what in-toto leaves to us. */
export const statementType = "https://in-toto.io/Statement/v1";
export const provenanceType = "https://slsa.dev/provenance/v1";
export const meshBuildType = "urn:mesh-delivery:build:v1";

/** Digest of an artifact's content (the sorted list of its files), beside `sha256`, which names the bytes that travel. */
export const contentAlgorithm = "meshContentV1";

const digestSetSchema = z.record(z.string().max(64), z.string().max(128));

const dependencySchema = z.strictObject({
  /** `source`, `artifact:<module>` or `third-parties`. */
  name: z.string().max(100),
  uri: z.string().max(1500),
  digest: digestSetSchema,
});
export type ResolvedDependency = z.infer<typeof dependencySchema>;

/** An in-toto Statement v1 with SLSA provenance v1, in exactly the shape we write: anything else was not written by us. */
export const statementSchema = z.strictObject({
  _type: z.literal(statementType),
  subject: z.tuple([z.strictObject({ name: z.string().max(100), digest: digestSetSchema })]),
  predicateType: z.literal(provenanceType),
  predicate: z.strictObject({
    buildDefinition: z.strictObject({
      buildType: z.literal(meshBuildType),
      externalParameters: z.strictObject({
        module: z.string(),
        language: z.string(),
        repository: z.string(),
        branch: z.string(),
        path: z.string(),
      }),
      internalParameters: z.strictObject({
        /** Digest of the closure. */
        inputs: z.string(),
        toolchain: z.string(),
        /** Version of the language's own rules. */
        rules: z.string(),
        settings: z.record(z.string(), z.string()),
      }),
      resolvedDependencies: z.array(dependencySchema).max(10_000),
    }),
    runDetails: z.strictObject({
      builder: z.strictObject({ id: z.string().max(200), version: z.record(z.string(), z.string()) }),
      metadata: z.strictObject({
        invocationId: z.string().max(500),
        startedOn: z.iso.datetime(),
        finishedOn: z.iso.datetime(),
      }),
    }),
  }),
});
export type Statement = z.infer<typeof statementSchema>;
