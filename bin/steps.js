// What install and build share: one step at a time in this clone, said and timed; what is done already is skipped.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, uptime } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** On stderr: what a command answers stays alone on stdout. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** Does the step and says how long it took. */
export async function timed(what, step) {
  const from = performance.now();
  say(`${what} …`);
  await step();
  say(`${what}: ${((performance.now() - from) / 1000).toFixed(1)} s`);
}

/** For a command that is this step alone: an error in one line, and exit code 2. */
export async function runStep(command, step) {
  try {
    await step();
  } catch (error) {
    sayFailure(command, error);
    process.exitCode = 2;
  }
}

/** As much as packages and what is built of them take. */
const neededMebibytes = 1024;

/**
 * What failed, once, and where the disk is short that it is: npm says it of a file somewhere among many, if at all, and takes back
 * what it had written.
 */
export function sayFailure(command, error) {
  say(`${command}: ${error.message}`);
  const { bavail, bsize } = statfsSync(root);
  const free = Math.floor((bavail * bsize) / 1024 ** 2);
  if (free >= neededMebibytes) return;
  say(
    `  next: the disk of ${root} has ${free} MiB left, and packages with what is built of them take ${neededMebibytes}: make room on it, then ${command} again`,
  );
}

/** The file's text; null when there is none. */
export function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    // absence is the answer: no such file, which is said by null.
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw error;
  }
}

/** Runs a program in the clone, its output on our stderr. Rejects unless it ends with 0. Ends it when we are ended. */
export function run(file, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, stdio: ["ignore", 2, 2], ...options });
    // A Ctrl-C in a terminal reaches the child by itself, a moment before or after: nothing is told twice. One that came to us
    // alone is passed on.
    const pass = (signal) => (signal === "SIGTERM" || !isInForeground()) && child.kill(signal);
    process.on("SIGTERM", pass).on("SIGINT", pass);
    const done = (act) => {
      process.off("SIGTERM", pass).off("SIGINT", pass);
      act();
    };
    child.once("error", (error) => done(() => reject(new Error(`${file} could not be run: ${error.message}`))));
    child.once("exit", (code, signal) => {
      if (code === 0) return done(resolve);
      done(() =>
        reject(new Error(`${[file, ...args].join(" ").slice(0, 120)} ended with ${signal ?? `code ${code}`}`)),
      );
    });
  });
}

/** Whether the terminal's Ctrl-C reaches this process and its children: they are what the terminal has in front. */
function isInForeground() {
  const fields = readStatFields(process.pid);
  return fields === null ? process.stdin.isTTY === true : fields[5] === fields[2]; // The terminal's group, and ours.
}

/** Two commands in one clone must not install or build at once. The lock of one that was killed does not count. */
export async function withLock(name, step) {
  const lock = join(tmpdir(), `mesh-${name}-${createHash("sha256").update(root).digest("hex").slice(0, 12)}`);
  for (let told = false; !takeLock(lock); told = true) {
    if (!told) say(`another command works on ${name} in this clone (lock ${lock}); waiting for it`);
    await sleep(300);
  }
  try {
    return await step();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function takeLock(lock) {
  try {
    mkdirSync(lock);
    writeFileSync(join(lock, "pid"), `${process.pid} ${readStartTime(process.pid) ?? ""}`);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  if (isHeld(lock)) return false;
  rmSync(lock, { recursive: true, force: true });
  return takeLock(lock);
}

function isHeld(lock) {
  const [word, startTime] = (readText(join(lock, "pid")) ?? "").split(" ");
  const pid = Number(word);
  const ageMs = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (ageMs > uptime() * 1000) return false; // Of before the machine's last start: the pid is a stranger's.
  if (!(pid > 0)) return ageMs < 2_000; // Made this moment, its pid not written yet.
  // A container that is started again counts its processes from 1 again, while the machine goes on: one that was killed in
  // there had our own pid, or that of somebody who has nothing to do with it.
  if (pid === process.pid) return false;
  return isRunning(pid) && (!startTime || readStartTime(pid) === startTime);
}

/** In ticks since the machine's start; null where there is no /proc, or no such process. */
function readStartTime(pid) {
  return readStatFields(pid)?.[19] ?? null;
}

/** What stands behind the name in its /proc/<pid>/stat; null where there is none. */
function readStatFields(pid) {
  const stat = readText(`/proc/${pid}/stat`);
  // The name may hold blanks and brackets.
  return stat === null ? null : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
