import { described } from "./described.ts";

/** Files of `src` that read something by a schema, or parse it, and what that is. */
export interface Readers {
  readonly files: readonly string[];
  /** Kinds of `described`, or a sentence: what it is instead, and why it has no golden message here. */
  readonly reads: readonly string[] | string;
  /** Where both good and bad input of it is tried, when that is not here. */
  readonly tested: string;
}

const here = "test/contracts";

/** A file that starts to read something and has no row fails the test beside this one (R42). */
export const readers: readonly Readers[] = [
  { files: ["src/core/"], reads: "the schemas themselves: words, read nowhere", tested: here },
  { files: ["src/store/"], reads: "rows of our own tables, each parsed on the way out", tested: "test/store" },
  {
    files: ["src/link/envelope.ts", "src/link/parse-body.ts"],
    reads: ["declaration", "report", "provenance", "recovery"],
    tested: here,
  },
  { files: ["src/link/root.ts"], reads: ["root"], tested: here },
  { files: ["src/link/report-envelope.ts"], reads: ["report", "report-unordered"], tested: here },
  { files: ["src/link/unordered-declaration.ts"], reads: ["declaration"], tested: here },
  { files: ["src/link/enrolment-token.ts"], reads: ["enrolment-token"], tested: here },
  { files: ["src/link/gateway/enrol-route.ts"], reads: ["enrol-request"], tested: here },
  { files: ["src/link/host-client.ts"], reads: ["enrol-response"], tested: here },
  {
    files: ["src/source/check-manifest.ts", "src/source/manifest-keys.ts", "src/source/read-manifest.ts"],
    reads: ["manifest"],
    tested: here,
  },
  {
    files: ["src/cli/mesh-setup.ts", "src/cli/read-state-json.ts"],
    reads: ["mesh-json", "settings-json"],
    tested: here,
  },
  { files: ["src/cli/serve-config.ts"], reads: ["webhooks-json"], tested: here },
  {
    files: ["src/cli/database-logins.ts"],
    reads: "a file of secrets that it wrote itself: another shape is an error, and the words say how to make a new one",
    tested: "test/cli/database-logins.test.ts",
  },
  {
    files: ["src/activities/workflow-input.ts"],
    reads: ["workflow-push", "workflow-tell", "workflow-build"],
    tested: here,
  },
  { files: ["src/worker/client.ts"], reads: ["push-result"], tested: here },
  {
    files: ["src/cli/ask-controller.ts"],
    reads: "the mesh's name, which the controller compares: mesh.json is read by its schema by whoever acts on it",
    tested: "test/cli/ask-controller.test.ts",
  },
  {
    files: ["src/activities/dry-run-document.ts", "src/cli/ask-or-work.ts"],
    reads: "a document that a controller of the same code wrote, as the command would have it itself",
    tested: "test/cli/asked-dry-run.pg.test.ts",
  },
  { files: ["src/cli/read-sent-contents.ts"], reads: ["declaration"], tested: here },
  {
    files: ["src/link/gateway/blob-route.ts", "src/link/pinned-request.ts"],
    reads: "one value of a request or an answer, by its own pattern",
    tested: "test/link",
  },
  {
    files: ["src/link/parse-signed-json.ts", "src/link/scan-json.ts"],
    reads: "any JSON from outside: depth, size, duplicate keys, numbers, before a schema sees it",
    tested: "test/link/parse-signed-json.test.ts",
  },
  { files: ["src/link/sealing.ts"], reads: "what is inside a sealed box", tested: "test/link/sealing.test.ts" },
  {
    files: [
      "src/host/identity-files.ts",
      "src/host/state/applied.ts",
      "src/host/state/boot.ts",
      "src/host/state/lock.ts",
      "src/host/state/mark.ts",
      "src/host/state/refusals.ts",
      "src/host/state/set-aside.ts",
      "src/host/state/state-file.ts",
      "src/host/supervisor/run-file.ts",
    ],
    reads: "a host's own files, which nobody else writes",
    tested: "test/host/state",
  },
  {
    files: ["src/host/providers/postgresql-roles.ts"],
    reads: "rows of the catalog of a PostgreSQL server",
    tested: "test/host/providers",
  },
  {
    files: ["src/host/providers/rabbitmq.ts"],
    reads: "answers of RabbitMQ's HTTP API",
    tested: "test/beds/rabbitmq-provider.bed.test.ts",
  },
  {
    files: ["src/host/resources/path-in-root.ts"],
    reads: "one path of a declaration, once more",
    tested: "test/host",
  },
  {
    files: [
      "src/source/imports/go-raw.ts",
      "src/source/imports/go-tool.ts",
      "src/source/imports/package-facts.ts",
      "src/source/imports/package-lock.ts",
      "src/source/imports/python-ast.ts",
      "src/source/imports/python-facts.ts",
      "src/source/imports/python-interpreter.ts",
      "src/source/imports/python-lock.ts",
      "src/source/imports/python-raw-imports.ts",
      "src/source/imports/rust-lock.ts",
      "src/source/imports/workspace-lock.ts",
      "src/source/imports/rust-manifest.ts",
      "src/source/imports/tsconfig.ts",
      "src/source/imports/typescript-depth.ts",
    ],
    reads:
      "files and tools of four languages: other people's formats, whose unknown members are theirs and are ignored",
    tested: "test/source/imports",
  },
  {
    files: ["src/source/imports/import-reader.ts", "src/source/imports/read-module-imports.ts"],
    reads: "our own cache of imports; another shape counts as none, and the file is read again",
    tested: "test/source/imports",
  },
  {
    files: [
      "src/source/check-branch.ts",
      "src/source/fetch-commits.ts",
      "src/source/git-blobs.ts",
      "src/source/git-objects.ts",
      "src/source/object-session.ts",
      "src/source/open-repository.ts",
      "src/source/tree-id.ts",
    ],
    reads: "single ids and paths that git prints",
    tested: "test/source",
  },
  {
    files: [
      "src/build/builders/go-packages.ts",
      "src/build/builders/plan-fetch.ts",
      "src/build/builders/python-carried.ts",
      "src/build/builders/python-own-wheel.ts",
      "src/build/builders/python-plan.ts",
      "src/build/builders/python-toolchain.ts",
      "src/build/builders/rust-crate-manifest.ts",
      "src/build/builders/rust-lock-file.ts",
      "src/build/builders/rust-resolve-crates.ts",
      "src/build/builders/rust-third-parties.ts",
      "src/build/builders/rust-vendor.ts",
      "src/build/judge-toolchain.ts",
      "src/build/own-packages.ts",
    ],
    reads: "what the tools of a language print and pin, inside the sandbox or from the lock file",
    tested: "test/build",
  },
  {
    files: [
      "src/build/artifact-manifest.ts",
      "src/build/artifact-store.ts",
      "src/build/list-unnamed-blobs.ts",
      "src/build/oci-layout.ts",
      "src/build/sweep-artifact.ts",
    ],
    reads: "our own artifact store, an OCI image layout; every blob is named by its digest",
    tested: "test/build/artifact-store.test.ts",
  },
  {
    files: [
      "src/activities/collect-artifacts.ts",
      "src/activities/import-cache.ts",
      "src/activities/repository-pool.ts",
    ],
    reads: "values of our own records, once more",
    tested: "test/activities",
  },
  {
    files: ["src/decide/judge-report.ts", "src/decide/work-out-offers.ts"],
    reads: "one word of a report or of the records",
    tested: "test/decide",
  },
  {
    files: ["src/cli/arguments.ts", "src/cli/gateway-address.ts", "src/cli/file-name.ts", "src/cli/main.ts"],
    reads: "what a person typed, and our own package.json",
    tested: "test/cli",
  },
  { files: ["src/worker/own-version.ts"], reads: "our own package.json", tested: "test/cli" },
  {
    files: ["src/embedded/read-json.ts"],
    reads: "files of the state folder that the embedded servers write for themselves",
    tested: "test/embedded",
  },
];

/** Whether a text reads something by a schema or parses it. */
export function readsSomething(text: string): boolean {
  return /from "zod"|from "smol-toml"|JSON\.parse\(|\.safeParse\(|[sS]chema\.parse\(|parseSignedJson\(|parseDocument\(/.test(
    text,
  );
}

export interface Gaps {
  /** Files that read and have no row. */
  readonly unlisted: readonly string[];
  /** Rows of files that read nothing, or of kinds that are not described. */
  readonly stray: readonly string[];
}

export function findReaderGaps(files: ReadonlyMap<string, string>): Gaps {
  const reading = [...files].filter(([, text]) => readsSomething(text)).map(([path]) => path);
  const matches = (row: string, path: string): boolean => (row.endsWith("/") ? path.startsWith(row) : path === row);
  const rows = readers.flatMap((row) => row.files);
  const kinds = new Set(described.map(({ kind }) => kind));
  const named = readers.flatMap(({ reads }) => (typeof reads === "string" ? [] : reads));
  return {
    unlisted: reading.filter((path) => !rows.some((row) => matches(row, path))),
    stray: [
      ...rows.filter((row) => !reading.some((path) => matches(row, path))),
      ...named.filter((kind) => !kinds.has(kind)),
    ],
  };
}
