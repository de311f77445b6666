import type { ArtifactFault } from "../../activities/verify-artifact.ts";
import type { Artifact, Closure } from "../../core/artifact.ts";
import { listNames } from "../../decide/short-names.ts";
import type { BuildCheck } from "../../store/build-checks.ts";
import { describeDuration } from "../../core/durations.ts";
import { describeAge } from "./ages.ts";
import { alignColumns } from "./columns.ts";
import { plainLine } from "./plain.ts";

export interface ArtifactRow extends Artifact {
  readonly builtAt: string;
  readonly collectedAt: string | null;
  readonly commit: string | null;
  readonly isFit: boolean;
  readonly sentTo: readonly string[];
  readonly reproducible: Reproducible;
}

/** `unknown`: it was not built a second time (yet). */
export type Reproducible = "yes" | "no" | "unknown";

export function reproducibleOf(check: Pick<BuildCheck, "state"> | null): Reproducible {
  if (check === null || check.state === "due") return "unknown";
  return check.state === "same" ? "yes" : "no";
}

export function artifactListText(rows: readonly ArtifactRow[], now: Date): string {
  if (rows.length === 0) return "no artifacts yet\n  next: mesh build --wait";
  const cells = rows.map((row) => [
    row.module,
    shortDigest(row.digest),
    describeBytes(row.blobBytes),
    describeAge(row.builtAt, now),
    row.commit?.slice(0, 7) ?? "-",
    listNames(row.sentTo) || "-",
    row.reproducible,
    row.collectedAt !== null ? `collected ${describeAge(row.collectedAt, now)}` : row.isFit ? "newest fit" : "",
  ]);
  const head = ["MODULE", "ARTIFACT", "SIZE", "BUILT", "COMMIT", "LAST SENT TO", "REPRODUCIBLE", ""];
  return `${alignColumns([head, ...cells])}\n  next: mesh artifact show ${shortDigest(rows[0]?.digest ?? "")}`;
}

export interface ArtifactDocument {
  readonly artifact: ArtifactRow;
  /** Of each build that gave it. */
  readonly builds: readonly { readonly inputs: string; readonly commit: string; readonly closure: Closure }[];
  readonly statements: readonly {
    readonly digest: string;
    readonly keptAt: string;
    /** Null: it does not open; `why` says so. */
    readonly signedBy: readonly string[] | null;
    readonly why: string | null;
    readonly statement: unknown;
  }[];
  readonly checks: readonly BuildCheck[];
  /** Null: its bytes are not there or do not read; `filesWhy` says so. */
  readonly files: readonly { readonly path: string; readonly mode: string; readonly bytes: number }[] | null;
  readonly filesWhy: string | null;
}

const filesShown = 40;
/** A document has all. */
const namesShown = 50;

export function artifactText(document: ArtifactDocument, now: Date): string {
  const { artifact, files } = document;
  const facts = [
    ["content", artifact.digest],
    ["bytes", `${artifact.blob}, ${describeBytes(artifact.blobBytes)}`],
    ["built", describeAge(artifact.builtAt, now)],
    ["last sent to", listNames(artifact.sentTo, namesShown) || "no node"],
    [
      "reproducible",
      document.checks[0] === undefined ? "unknown: it was built once" : describeCheck(document.checks[0], now),
    ],
    ...(artifact.collectedAt === null
      ? []
      : [["collected", `${describeAge(artifact.collectedAt, now)}: it must be built again before it can be sent`]]),
  ];
  const shown = (files ?? []).slice(0, filesShown);
  return [
    artifact.module,
    alignColumns(facts, "  "),
    "built from",
    ...(document.builds.length === 0 ? ["  no fit build of it is recorded"] : document.builds.flatMap(closureLines)),
    "statements",
    ...(document.statements.length === 0 ? ["  none"] : document.statements.map((one) => statementLine(one, now))),
    files === null ? `files: ${plainLine(document.filesWhy ?? "", 300)}` : `files (${files.length})`,
    ...(shown.length === 0
      ? []
      : [
          alignColumns(
            shown.map((file) => [file.mode, describeBytes(file.bytes), plainLine(file.path, 200)]),
            "  ",
          ),
        ]),
    ...((files?.length ?? 0) > filesShown
      ? [`  … and ${(files?.length ?? 0) - filesShown} more (--json has all)`]
      : []),
    `  next: mesh artifact verify ${shortDigest(artifact.digest)}`,
  ].join("\n");
}

/** An input closure as sentences. */
function closureLines({ commit, closure }: ArtifactDocument["builds"][number]): string[] {
  const dependencies = Object.entries(closure.dependencies).map(
    ([module, digest]) => `  built against ${module} at ${shortDigest(digest)}`,
  );
  const settings = Object.entries(closure.settings).map(
    ([name, value]) => `  with the setting ${plainLine(name, 80)} = ${plainLine(value, 80)}`,
  );
  return [
    `  commit ${commit.slice(0, 12)}, whose folder is tree ${closure.tree.slice(0, 12)}`,
    ...(dependencies.length === 0 ? ["  built against nothing of this mesh"] : dependencies),
    closure.thirdParties === null
      ? "  with no third-party packages"
      : `  with the third-party packages ${shortDigest(closure.thirdParties)}`,
    `  by ${plainLine(closure.toolchain, 160)}, rules ${plainLine(closure.builder, 80)}`,
    ...settings,
  ];
}

function statementLine(one: ArtifactDocument["statements"][number], now: Date): string {
  const says =
    one.signedBy === null ? `NOT GOOD: ${plainLine(one.why ?? "", 200)}` : `signed by ${one.signedBy.join(", ")}`;
  return `  ${shortDigest(one.digest)}, kept ${describeAge(one.keptAt, now)}, ${says}`;
}

/** What the second build said, with the files that differ. */
function describeCheck(check: BuildCheck, now: Date): string {
  const failure = check.failure === null ? "" : `; it could not run: ${plainLine(check.failure, 200)}`;
  if (check.state === "due") return `unknown: a second build is to come${failure}`;
  const when = describeAge(check.checkedAt, now);
  if (check.state === "same") return `yes: built twice with the same result, ${when}`;
  return `NOT REPRODUCIBLE, seen ${when}: ${check.files.map((file) => plainLine(file, 160)).join("; ")}`;
}

export interface VerifiedArtifact {
  readonly module: string;
  readonly digest: string;
  readonly faults: readonly ArtifactFault[];
  /** What mends it; null: nothing is to be mended. */
  readonly remedy: string | null;
}

export function verifyText(verified: readonly VerifiedArtifact[], tookMs: number): string {
  const bad = verified.filter((one) => one.faults.length > 0);
  const lines = bad.flatMap((one) => [
    `${one.module} ${shortDigest(one.digest)} is not what it says`,
    ...one.faults.map((fault) => `  ${fault.check}: ${plainLine(fault.message, 400)}`),
    ...(one.remedy === null ? [] : [`  next: ${one.remedy}`]),
  ]);
  const good = verified.length - bad.length;
  return [
    ...lines,
    `${good} of ${verified.length} ${verified.length === 1 ? "artifact" : "artifacts"} verified: bytes, content, manifest, signatures, closures (${describeDuration(tookMs)})`,
  ].join("\n");
}

/** Enough digits for people, and for `mesh artifact show`. */
export function shortDigest(digest: string): string {
  return digest.slice("sha256:".length, "sha256:".length + 12);
}

export function describeBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(1)} KiB`;
  if (bytes < 1024 ** 3) return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
