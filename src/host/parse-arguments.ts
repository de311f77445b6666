import { InputError } from "../core/errors.ts";

export type HostCommand =
  | { readonly command: "enrol"; readonly dir: string; readonly tokenFile: string }
  | {
      readonly command: "run";
      readonly dir: string;
      readonly intervalMs: number;
      readonly adminPasswordFiles: readonly string[];
      readonly stopServicesOnExit: boolean;
    }
  | { readonly command: "stop"; readonly dir: string }
  | { readonly command: "recover"; readonly dir: string; readonly document: string | null; readonly json: boolean }
  | { readonly command: "help" };

export const usage = `mesh-host enrol --dir DIR --token-file FILE   join a mesh: keys are made here, once; FILE - is standard input
mesh-host run   --dir DIR [--interval SECONDS] [--stop-services-on-exit] [--admin-password-file FILE]...
                FILE: outside DIR, may be sent as the password of a server's administrator where a module says so
mesh-host stop  --dir DIR   end the services that an ended host left running
mesh-host recover --dir DIR [--document FILE] [--json]   say its mark; put it back by a document that root keys signed`;

const optionNames = {
  enrol: ["dir", "token", "token-file"],
  run: ["dir", "interval", "stop-services-on-exit", "admin-password-file"],
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
  if (rest.includes("--help") || rest.includes("-h")) return { command: "help" };
  const options = readOptions(rest, optionNames[command]);
  // Before anything else that is missing: the token was seen already.
  if (options.has("token")) throw refuseToken();
  const dir = options.get("dir")?.[0];
  if (dir === undefined) throw new InputError(`${command} needs --dir DIR`, usage);
  switch (command) {
    case "enrol":
      return { command, dir, tokenFile: readTokenFile(options) };
    case "run":
      return {
        command,
        dir,
        intervalMs: readInterval(options.get("interval")?.[0]),
        adminPasswordFiles: options.get("admin-password-file") ?? [],
        stopServicesOnExit: options.has("stop-services-on-exit"),
      };
    case "stop":
      return { command, dir };
    case "recover":
      return { command, dir, document: options.get("document")?.[0] ?? null, json: options.has("json") };
  }
}

type Options = ReadonlyMap<string, readonly string[]>;

function readOptions(words: readonly string[], known: readonly string[]): Options {
  const options = new Map<string, readonly string[]>();
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    const [, name, joined] = /^--([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined || !known.includes(name)) throw new InputError(`${word} is not an option here`, usage);
    const before = options.get(name) ?? [];
    if (before.length > 0 && name !== "admin-password-file") throw new InputError(`--${name} is given twice`, usage);
    if (name === "stop-services-on-exit" || name === "json") {
      if (joined !== undefined) throw new InputError(`--${name} takes no value`, usage);
      options.set(name, [""]);
      continue;
    }
    const value = joined ?? words[(index += 1)];
    if (value === undefined || value === "") throw new InputError(`--${name} needs a value`, usage);
    options.set(name, [...before, value]);
  }
  return options;
}

/** Where the token is, never the token: everybody on this machine can read a command line. */
function refuseToken(): InputError {
  return new InputError(
    "--token would show the token to everybody on this machine",
    "Give it in a file, --token-file FILE, or on standard input, --token-file -. This one may have been read: make another with `mesh host token NODE`, where the controller is.",
  );
}

function readTokenFile(options: Options): string {
  const file = options.get("token-file")?.[0];
  if (file === undefined) throw new InputError("enrol needs --token-file FILE", usage);
  return file;
}

function readInterval(text: string | undefined): number {
  if (text === undefined) return 30_000;
  const seconds = Number(text);
  if (!Number.isFinite(seconds) || seconds < 1 || seconds > 86_400) {
    throw new InputError(`--interval is seconds between 1 and 86400, not ${text}`, usage);
  }
  return Math.round(seconds * 1000);
}
