import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { hasErrorCode, whenThere } from "../../core/errors.ts";
import type { ResourceOf } from "../../core/resource.ts";
import { digestValue } from "../../decide/digest.ts";
import { artifactPath, dataPath, shortDigest } from "../folders.ts";
import type { NodeContext } from "../node-context.ts";
import { probeHealth, type HealthAnswer } from "../supervisor/health.ts";
import type { ServiceRun, ServiceSpec } from "../supervisor/service-run.ts";
import { concludeService } from "./conclude-service.ts";
import { fillTemplate } from "./fill-template.ts";
import type { Difference, ResourceHandler } from "./resource-handler.ts";

export interface WantedService {
  readonly spec: ServiceSpec;
  readonly health: { readonly http?: string; readonly tcp?: string } | null;
  readonly withinMs: number;
  /** It has credentials that another machine's provider makes. */
  readonly hasProvisions: boolean;
}

export interface ObservedService {
  readonly run: ServiceRun | null;
  /** Null: it has no check, or was not alive, as one process, from before it was asked until after it had answered. */
  readonly health: HealthAnswer | null;
  /** How it ended, when it has since the last read. */
  readonly ended: string | null;
  readonly nowMs: number;
}

/** How long a service without a health check may take. */
const defaultWithinMs = 20_000;

/** A long-running process, kept up by the supervisor. Running is what is read from the system, not what was started. */
export function createServiceHandler(
  context: Pick<NodeContext, "folders" | "service" | "supervisor" | "nowMs" | "declaration">,
): ResourceHandler<ResourceOf<"service">, WantedService, ObservedService> {
  const { supervisor, nowMs } = context;
  return {
    want: (resource) => wantService(resource, context),
    async read(wanted) {
      const ended = supervisor.takeEnding(wanted.spec.id);
      const run = await supervisor.readRun(wanted.spec);
      if (run === null || !run.alive || wanted.health === null || run.spec !== wanted.spec.digest) {
        return { run, health: null, ended, nowMs: nowMs() };
      }
      const isPast = nowMs() - run.startedMs > wanted.withinMs;
      const health = await probeHealth(wanted.health, { tries: isPast ? 2 : 1 });
      // It may have ended while it was asked: what is reported is what is there last, and an answer that another process
      // may have given is none of its.
      const after = await supervisor.readRun(wanted.spec);
      const isSame = after?.alive === true && after.start === run.start;
      return { run: after, health: isSame ? health : null, ended, nowMs: nowMs() };
    },
    diff: diffService,
    apply: (wanted) => supervisor.ensure(wanted.spec),
    conclude: concludeService,
    async remove({ id }) {
      await supervisor.stop(id);
      return { kind: "removed" };
    },
  };
}

/** Ended and about to be started again is the supervisor's: starting it here would go round its back-off. */
export function diffService(wanted: WantedService, observed: ObservedService): Difference | null {
  const { run } = observed;
  const wantedWords = `running ${shortDigest(wanted.spec.digest)}`;
  if (run === null) return { wanted: wantedWords, found: "not running" };
  if (run.spec !== wanted.spec.digest) return { wanted: wantedWords, found: `running ${shortDigest(run.spec)}` };
  if (!run.alive && !run.startsAgain) return { wanted: wantedWords, found: run.lastEnding ?? "not running" };
  return null;
}

async function wantService(
  resource: ResourceOf<"service">,
  context: Pick<NodeContext, "folders" | "service" | "declaration">,
): Promise<WantedService> {
  const { root, log } = context.folders;
  const { id, module, artifact } = resource;
  const fill = (text: string): string => fillTemplate(text, root, module, artifact);
  const [first = "", ...rest] = resource.command.map(fill);
  const command = [first === "node" ? process.execPath : first, ...rest] as const;
  const data = path.join(root, dataPath(module));
  const files = path.join(root, artifactPath(module, artifact));
  const env: Record<string, string> = {
    ...Object.fromEntries(Object.entries(resource.env).map(([name, value]) => [name, fill(value)])),
    MESH_NODE: context.declaration.node,
    MESH_MODULE: module,
    MESH_DATA: data,
  };
  const provisions = resource.provisions === undefined ? null : path.join(root, resource.provisions);
  if (provisions !== null) env["MESH_PROVISIONS"] = provisions;
  const generation = await readInode(files);
  const user = `${context.service.uid}:${context.service.gid}`;
  const { restartOn, health } = resource;
  return {
    spec: {
      id,
      module,
      artifact,
      command,
      env,
      folder: (await readInode(data)) === null ? files : data,
      logFile: path.join(log, `${module}.log`),
      digest: digestValue({
        command,
        env,
        artifact,
        generation,
        restartOn,
        user,
        ...(await readCredentials(provisions)),
      }),
    },
    health:
      health === undefined || (health.http === undefined && health.tcp === undefined)
        ? null
        : {
            ...(health.http === undefined ? {} : { http: fill(health.http) }),
            ...(health.tcp === undefined ? {} : { tcp: fill(health.tcp) }),
          },
    withinMs: health === undefined ? defaultWithinMs : health.withinSeconds * 1000,
    hasProvisions: provisions !== null,
  };
}

/**
 * What it reads when it starts, as a digest: a version names a credential only within one history of the records. Where they
 * were set back, the same provision and version may be another password (R35), and what runs would go on with the dead one.
 */
async function readCredentials(provisions: string | null): Promise<{ readonly credentials?: string | null }> {
  if (provisions === null) return {};
  const text = await whenThere(readFile(provisions));
  return { credentials: text === null ? null : createHash("sha256").update(text).digest("hex") };
}

/** Files that were mended are another folder: what was started from the damaged ones is started again. */
async function readInode(folder: string): Promise<string | null> {
  try {
    return String((await stat(folder)).ino);
  } catch (error) {
    // absence is the answer: no folder yet; what comes first has not been applied.
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  }
}
