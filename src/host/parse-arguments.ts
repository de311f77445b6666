import { readFileSync } from "node:fs";
import { InputError } from "../core/errors.ts";

export type HostCommand =
  | { readonly command: "enrol"; readonly dir: string; readonly token: string }
  | { readonly command: "run"; readonly dir: string; readonly intervalMs: number; readonly stopServicesOnExit: boolean }
  | { readonly command: "stop"; readonly dir: string }
  | { readonly command: "recover"; readonly dir: string; readonly document: string | null; readonly json: boolean }
  | { readonly command: "help" };

export const usage = `mesh-host enrol --dir DIR (--token TOKEN | --token-file FILE)   join a mesh: keys are made here, once
mesh-host run   --dir DIR [--interval SECONDS] [--stop-services-on-exit]
mesh-host stop  --dir DIR   end the services that an ended host left running
mesh-host recover --dir DIR [--document FILE] [--json]   say its mark; put it back by a document that root keys signed`;

/** A token is short; a file that is not is not a token. */
const tokenBytesLimit = 16_384;

const optionNames = {
  enrol: ["dir", "token", "token-file"],
  run: ["dir", "interval", "stop-services-on-exit"],
  stop: ["dir"],
  recover: ["dir", "document", "json"],
} as const;

/** Throws InputError where a word is not understood. */
export function parseArguments(words: readonly string[]): HostCommand {
  const [command, ...rest] = words;
  if (command === "help" || command === "--help" || command === "-h") return { command: "help" };
  if (command !== "enrol" && command !== "run" && command !== "stop" && command !== "recover") {
    throw new InputError(command === undefined ? "no command" : `${command} is not a command`, usage);
  }
  const options = readOptions(rest, optionNames[command]);
  const dir = options.get("dir");
  if (dir === undefined) throw new InputError(`${command} needs --dir DIR`, usage);
  switch (command) {
    case "enrol":
      return { command, dir, token: readToken(options) };
    case "run":
      return {
        command,
        dir,
        intervalMs: readInterval(options.get("interval")),
        stopServicesOnExit: options.has("stop-services-on-exit"),
      };
    case "stop":
      return { command, dir };
    case "recover":
      return { command, dir, document: options.get("document") ?? null, json: options.has("json") };
  }
}

function readOptions(words: readonly string[], known: readonly string[]): Map<string, string> {
  const options = new Map<string, string>();
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    const [, name, joined] = /^--([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined || !known.includes(name)) throw new InputError(`${word} is not an option here`, usage);
    if (options.has(name)) throw new InputError(`--${name} is given twice`, usage);
    if (name === "stop-services-on-exit" || name === "json") {
      if (joined !== undefined) throw new InputError(`--${name} takes no value`, usage);
      options.set(name, "");
      continue;
    }
    const value = joined ?? words[(index += 1)];
    if (value === undefined || value === "") throw new InputError(`--${name} needs a value`, usage);
    options.set(name, value);
  }
  return options;
}

function readToken(options: ReadonlyMap<string, string>): string {
  const token = options.get("token");
  const file = options.get("token-file");
  if ((token === undefined) === (file === undefined)) {
    throw new InputError("enrol needs --token TOKEN or --token-file FILE, one of them", usage);
  }
  if (token !== undefined) return token.trim();
  try {
    const text = readFileSync(file ?? "", "utf8");
    if (text.length > tokenBytesLimit) throw new InputError(`${file} is too long for a token`);
    return text.trim();
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    throw new InputError(`the token file ${file} cannot be read`, "check its path and mode", { cause });
  }
}

function readInterval(text: string | undefined): number {
  if (text === undefined) return 30_000;
  const seconds = Number(text);
  if (!Number.isFinite(seconds) || seconds < 1 || seconds > 86_400) {
    throw new InputError(`--interval is seconds between 1 and 86400, not ${text}`, usage);
  }
  return Math.round(seconds * 1000);
}
