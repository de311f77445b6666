// Runs a command from the one file that all of them are in (bin/bundle-command.js), with what V8 made of it the last time:
// decision 0029. Whatever is missing or does not fit, the same code is run without it.
import { closeSync, fstatSync, lstatSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script, constants } from "node:vm";

/** They run for hours, and load what no bundle holds: threads, native code. */
const runLong = new Set(["serve", "up"]);
const maxCacheBytes = 64 * 1024 * 1024;
const maxKeys = 32;

/** False: nothing was run, because it is to be run from its modules. */
export function runBundle(dist, argv) {
  const words = findWords(argv);
  // A stack is to name the files that somebody would look into.
  if (process.env.MESH_DEBUG || runLong.has(words[0]) || !constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER) return false;
  const filename = join(dist, "mesh-command.cjs");
  const bundle = readWhole(filename);
  if (bundle === null) return false;
  const source = bundle.bytes.latin1Slice();
  const stamp = /\b[0-9a-f]{32}\b/.exec(source.slice(0, 200))?.[0];
  if (stamp === undefined) return false;
  const folder = join(dist, "code");
  const isOurs = isWrittenByOnly(folder, bundle.owner);
  const prefix = join(folder, `${stamp}-${process.version}-${process.arch}-`);
  const cache = isOurs ? readCache({ prefix, words, owner: bundle.owner, filename }) : null;
  const script = new Script(source, {
    filename,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cache === null ? {} : { cachedData: cache.code }),
  });
  const module = { exports: {} };
  if (isOurs && process.getuid?.() === bundle.owner) {
    const keys = cache === null || script.cachedDataRejected ? new Map() : cache.keys;
    process.on("exit", (code) =>
      keepCache({ code, script, prefix, filename, keys, argv, command: module.exports.command }),
    );
  }
  script.runInThisContext()(module.exports, createRequire(filename), module, filename, dist);
  return true;
}

/** The command's words and perhaps arguments behind it, as far as they could be the name of a file. */
function findWords(argv) {
  const words = [];
  for (let at = 0; at < argv.length && words.length < 3; at += 1) {
    if (argv[at] === "--state") at += 1;
    else if (/^[a-z]{1,20}$/.test(argv[at])) words.push(argv[at]);
    else if (argv[at] === "--" || !argv[at].startsWith("-")) break;
  }
  return words;
}

/** The options decide what of a command is run: what was made of one run serves another with the same. */
function keyOf(argv) {
  return [...new Set(argv.map((word) => /^--?[a-z][a-z-]*/.exec(word)?.[0]).filter(Boolean))].sort().join(" ");
}

function readCache({ prefix, words, owner, filename }) {
  for (let count = words.length; count >= 0; count -= 1) {
    const name = count === 0 ? "mesh" : words.slice(0, count).join("-");
    const file = readWhole(`${prefix}${name}`);
    if (file === null || file.owner !== owner || file.isOpen || file.bytes.length < 8) continue;
    const { bytes } = file;
    const end = bytes.length - 4 - bytes.readUInt32LE(bytes.length - 4);
    if (end <= 0) continue;
    const [place, ...keys] = bytes.toString("utf8", end, bytes.length - 4).split("\n");
    // V8 takes the place from there too, and would import from where the clone was before it was moved.
    if (place !== filename) continue;
    return { code: bytes.subarray(0, end), keys: new Map([[name, keys]]) };
  }
  return null;
}

/** What was compiled in this run, and in those before. The file is put in place whole: another may read it at this moment. */
function keepCache({ code, script, prefix, filename, keys, argv, command }) {
  const key = keyOf(argv);
  const name = command?.replaceAll(" ", "-");
  const known = keys.get(name) ?? [];
  if (code > 1 || name === undefined || known.includes(key) || known.length >= maxKeys) return;
  // Help runs nothing of its command.
  if (name !== "mesh" && (argv[0] === "help" || argv.includes("--help") || argv.includes("-h"))) return;
  const list = Buffer.from([filename, ...known, key].join("\n"));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(list.length);
  const half = `${prefix}${name}.${process.pid}`;
  try {
    writeFileSync(half, Buffer.concat([script.createCachedData(), list, size]), { flag: "wx", mode: 0o644 });
    renameSync(half, `${prefix}${name}`);
  } catch {
    // absence is the answer: a full or read-only disk; the next run compiles again.
  }
}

/** Null: there is none that can be read. */
function readWhole(path) {
  let file = null;
  try {
    file = openSync(path, "r");
    const { uid, mode, size } = fstatSync(file);
    return size > maxCacheBytes ? null : { bytes: readFileSync(file), owner: uid, isOpen: isOpenMode(mode) };
  } catch {
    // absence is the answer: without it the same code is run, more slowly.
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** V8 runs what is in there as it stands: nobody but the one whose bundle it is may have put it there. */
function isWrittenByOnly(folder, owner) {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found !== undefined && found.isDirectory() && found.uid === owner && !isOpenMode(found.mode);
}

function isOpenMode(mode) {
  return (mode & 0o022) !== 0;
}
