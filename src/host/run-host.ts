import { mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { InputError } from "../core/errors.ts";
import { createHostClient } from "../link/host-client.ts";
import { createHostLoop } from "./cycle/host-loop.ts";
import { describeFailure } from "./describe-failure.ts";
import { systemClock } from "./host-clock.ts";
import { hostFolders, type HostFolders } from "./folders.ts";
import { readEnrolment, readIdentityFiles } from "./identity-files.ts";
import { createLog, type Log } from "./log.ts";
import { placeModuleBarrier } from "./module-barrier.ts";
import { createPostgresqlProvider } from "./providers/postgresql.ts";
import { createRabbitmqProvider } from "./providers/rabbitmq.ts";
import { createRedactor, type Redactor } from "./redactor.ts";
import { checkNamedFile } from "./resources/read-admin-password.ts";
import { findServiceUser, type ServiceUser } from "./service-user.ts";
import { beginBoot } from "./state/boot.ts";
import { describeDamaged } from "./state/describe-damaged.ts";
import { takeLock } from "./state/lock.ts";
import type { DamagedFile, OnDamaged } from "./state/set-aside.ts";
import { createSupervisor, type Supervisor } from "./supervisor/supervisor.ts";

export interface RunHostOptions {
  readonly dir: string;
  readonly intervalMs: number;
  /** Absolute paths outside `dir`. */
  readonly adminPasswordFiles: readonly string[];
  /** Else they go on without the host, and the next one adopts them (R44, R50). */
  readonly stopServicesOnExit: boolean;
  readonly signal: AbortSignal;
}

/** The host, until the signal aborts. Throws InputError where it cannot run: not enrolled, damaged, already running. */
export async function runHost(options: RunHostOptions): Promise<void> {
  const folders = hostFolders(options.dir);
  for (const file of options.adminPasswordFiles) checkNamedFile(folders.dir, file);
  const identity = await readIdentityFiles(folders);
  await makeFolders(folders);
  const unlock = await takeLock(folders.state);
  const redactor = createRedactor();
  const log = stderrLog(redactor);
  try {
    const boot = await beginBoot(folders.state, new Date());
    if (boot.problem !== null) log.error("the start cannot be written down", { why: describeFailure(boot.problem) });
    await keepOutsidePackagesOut(folders, log);
    const service = await findServiceUser();
    await warnAboutFolders(folders, service, log);
    let lookAt = (_id: string): void => undefined;
    const damaged: DamagedFile[] = [];
    const onDamaged: OnDamaged = (file) => {
      log.error("a file of the host's own is damaged", { why: describeDamaged(file) });
      damaged.push(file);
    };
    const onChange = (id: string): void => lookAt(id);
    const supervisor = await openSupervisor(folders, service, { log, redactor, onChange, onDamaged });
    const controller = createHostClient({
      url: identity.url,
      caPem: identity.caPem,
      node: identity.node,
      signKey: identity.signKey,
    });
    try {
      const { intervalMs, adminPasswordFiles, signal } = options;
      const loop = await createHostLoop({
        identity,
        folders,
        controller,
        supervisor,
        providers: { postgresql: createPostgresqlProvider(Date.now), rabbitmq: createRabbitmqProvider() },
        service,
        boot,
        damaged,
        onDamaged,
        intervalMs,
        adminPasswordFiles,
        log,
        redactor,
        clock: systemClock,
        chance: Math.random,
      });
      lookAt = loop.lookAt;
      log.info("host started", { node: identity.node, mesh: identity.mesh, dir: folders.dir, boot: boot.boot });
      await loop.run(signal);
      if (options.stopServicesOnExit) await supervisor.stopAll();
    } finally {
      supervisor.close();
      controller.close();
    }
  } finally {
    await unlock();
  }
}

/** Ends the services that a host which has ended left running. Throws InputError while a host runs there, or none ever did. */
export async function stopServices(dir: string): Promise<number> {
  const folders = hostFolders(dir);
  // Else a path that was mistyped would be answered with *none*, and they go on.
  if ((await readEnrolment(folders)) === null)
    throw new InputError(`there is no host in ${folders.dir}`, "Is --dir the folder that it was enrolled with?");
  await makeFolders(folders);
  const unlock = await takeLock(folders.state);
  try {
    const redactor = createRedactor();
    const log = stderrLog(redactor);
    const supervisor = await openSupervisor(folders, await findServiceUser(), {
      log,
      redactor,
      onChange: () => undefined,
      onDamaged: (file) => log.error("a file of the host's own is damaged", { why: describeDamaged(file) }),
    });
    try {
      const { length } = supervisor.list();
      await supervisor.stopAll();
      return length;
    } finally {
      supervisor.close();
    }
  } finally {
    await unlock();
  }
}

interface SupervisorEars {
  readonly log: Log;
  readonly redactor: Redactor;
  readonly onChange: (id: string) => void;
  readonly onDamaged: OnDamaged;
}

function openSupervisor(
  folders: HostFolders,
  user: ServiceUser,
  { log, redactor, onChange, onDamaged }: SupervisorEars,
): Promise<Supervisor> {
  return createSupervisor({
    folder: path.join(folders.state, "services"),
    user,
    log,
    nowMs: Date.now,
    redact: redactor.redact,
    onChange,
    onDamaged,
  });
}

function stderrLog({ redact }: Redactor): Log {
  return createLog({ write: (line) => void process.stderr.write(line), now: () => new Date(), redact });
}

async function makeFolders(folders: HostFolders): Promise<void> {
  await mkdir(folders.state, { recursive: true, mode: 0o700 });
  await mkdir(folders.log, { recursive: true, mode: 0o700 });
  await mkdir(folders.root, { recursive: true, mode: 0o755 });
}

/** A full disk keeps no host from coming up: what runs goes on, and the next start tries again. */
async function keepOutsidePackagesOut(folders: HostFolders, log: Log): Promise<void> {
  try {
    await placeModuleBarrier(folders.root);
  } catch (error) {
    log.error("modules are not kept from a package.json above the host's folder", { why: describeFailure(error) });
  }
}

/** Services of another user must be able to go down to the root folder: said once, before one fails for it. */
async function warnAboutFolders(folders: HostFolders, service: ServiceUser, log: Log): Promise<void> {
  if (!service.isOther) return;
  for (let folder = folders.root; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const { mode } = await stat(folder);
    if ((mode & 0o001) !== 0) continue;
    log.warn(`services run as ${service.name}, who may not go through this folder`, {
      folder,
      remedy: `chmod o+x ${folder}`,
    });
  }
}
