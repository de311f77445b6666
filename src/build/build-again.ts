import { createHash, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Artifact } from "../core/artifact.ts";
import { InputError } from "../core/errors.ts";
import type { Digest } from "../core/names.ts";
import { contentDigest, type ContentEntry } from "../link/artifact/content-digest.ts";
import { listArtifactFiles } from "../link/artifact/walk-artifact.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import { buildModule, type BuildModule } from "./build-module.ts";
import { compareContents } from "./compare-contents.ts";
import { removeRoot } from "./remove-root.ts";
import type { Sandbox } from "./sandbox.ts";

export type SecondBuild =
  /** `files`: sentences, one for each file that differs; none: the same. */
  | {
      readonly kind: "compared";
      readonly second: Digest;
      readonly files: readonly string[];
      readonly varied: readonly string[];
    }
  /** It did not come out fit a second time: the environment, or a module that is fit only sometimes. */
  | { readonly kind: "not-fit"; readonly why: string };

const taskset = "/usr/bin/taskset";

/**
 * Builds the same inputs a second time and compares (R10). What can be another without being root is another: the folder
 * outside, the order in which files are written, the umask, the number of processors, the moment. Inside the sandbox
 * the path, the environment and `SOURCE_DATE_EPOCH` are fixed by rule and stay. Nothing of it is kept but the answer.
 */
export async function buildAgain(options: BuildModule & { readonly first: Artifact }): Promise<SecondBuild> {
  const { store, first } = options;
  const before = await listArtifactFiles({ from: await store.openBlob(first.blob), signal: options.signal });
  const captured: ContentEntry[] = [];
  const work = join(options.folders.work, `again-${randomUUID()}`);
  const affinity = await chooseAffinity();
  try {
    const built = await buildModule({
      ...options,
      store: captureOnly(store, captured),
      source: { ...options.source, repository: reverseOrder(options.source.repository) },
      sandbox: varySandbox(options.sandbox, affinity.cpu),
      folders: { ...options.folders, work: join(work, "another", "path") },
    });
    if (built.verdict.verdict !== "fit") return { kind: "not-fit", why: built.verdict.message };
    return {
      kind: "compared",
      second: contentDigest(captured),
      files: compareContents(before, captured),
      varied: ["another folder", "another order of files", "umask 077", "a later moment", affinity.said],
    };
  } finally {
    const left = await removeRoot(work);
    if (left !== "") options.onLog?.(left);
  }
}

/** One processor for the second build, where a first one had several. */
async function chooseAffinity(): Promise<{ readonly cpu: string | null; readonly said: string }> {
  const status = await readFile("/proc/self/status", "utf8");
  const allowed = /^Cpus_allowed_list:\s*(\d+)([-,]\S*)?/m.exec(status);
  if (allowed?.[1] === undefined || allowed[2] === undefined)
    return { cpu: null, said: "the same number of processors: there is only one here" };
  if (!existsSync(taskset)) return { cpu: null, said: "the same number of processors: there is no taskset here" };
  return { cpu: allowed[1], said: "one processor" };
}

/** Steps without network get another umask and processor; what is fetched is kept for others, so it is left as it is. */
function varySandbox(sandbox: Sandbox, cpu: string | null): Sandbox {
  return {
    promises: sandbox.promises,
    run: (run) => {
      if (run.network === "host") return sandbox.run(run);
      const pin = cpu === null ? [] : [taskset, "--cpu-list", cpu];
      return sandbox.run({
        ...run,
        command: ["/bin/sh", "-c", 'umask 077; exec "$@"', "again", ...pin, ...run.command],
      });
    },
  };
}

function reverseOrder(repository: BuildModule["source"]["repository"]): BuildModule["source"]["repository"] {
  return { ...repository, readBlobs: (blobs) => repository.readBlobs(blobs.toReversed()) };
}

/** Reads the real artifacts of dependencies; of what is packed only the list of files is kept, of a log nothing. */
function captureOnly(store: ArtifactStore, captured: ContentEntry[]): ArtifactStore {
  const listed = new Map<Digest, readonly ContentEntry[]>();
  return {
    ...store,
    putArtifact: async (artifact) => {
      for (const entry of listed.get(artifact.blob) ?? []) captured.push(entry);
    },
    putBlob: async (bytes) => {
      const hash = createHash("sha256");
      let length = 0;
      const counted = async function* (): AsyncGenerator<Uint8Array> {
        for await (const chunk of bytes) {
          hash.update(chunk);
          length += chunk.length;
          yield chunk;
        }
      };
      const entries = await listOrNull(counted());
      const digest = `sha256:${hash.digest("hex")}`;
      if (entries !== null) listed.set(digest, entries);
      return { digest, bytes: length };
    },
  };
}

async function listOrNull(bytes: AsyncIterable<Uint8Array>): Promise<readonly ContentEntry[] | null> {
  try {
    return await listArtifactFiles({ from: bytes });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // absence is the answer: a log and not an artifact
    return null;
  }
}
