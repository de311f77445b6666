import { dirname } from "node:path";
import type { ExitCode } from "../decide/exit-code.ts";
import { plainLine } from "./text/plain.ts";
import {
  CancelledError,
  DeadEpochError,
  InputError,
  RecordsRefusedError,
  StoppedError,
  UnavailableError,
} from "../core/errors.ts";

/** What a person and a script need of an error: which kind, what happened, what to do next. */
export interface ErrorAnswer {
  readonly kind: "input" | "unavailable" | "refused" | "bug";
  readonly code: ExitCode;
  readonly message: string;
  readonly next: string;
}

/** The last step is the one that is needed: where a remedy names many things, it bounds itself, and is never cut here. */
export const nextLimit = 2000;

/** What stands under `error` in a document. */
export function errorOf({ kind, message, next }: ErrorAnswer): {
  readonly kind: ErrorAnswer["kind"];
  readonly message: string;
  readonly next: string;
} {
  return { kind, message: plainLine(message, 2000), next: plainLine(next, nextLimit) };
}

/** Network errors and PostgreSQL's own states of *no answer*: nothing was decided, asking again may help. */
const noAnswerCodes =
  /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|EPIPE|08\w{3}|57P0[1-3]|53300)$/;

/** What a machine has no room for, or does not let be written: nothing that a person typed, and no bug. */
const noRoom: Readonly<Record<string, string>> = {
  ENOSPC: "is full: make room, then try again",
  EDQUOT: "has no room left for this user: make room, then try again",
  EROFS: "can only be read: mount it for writing, then try again",
};
/** PostgreSQL says no more than a file below its data folder. */
const diskOfRecords =
  "the disk of PostgreSQL's data is full (postgres-* in the state folder, where mesh up keeps it): make room, then try again";

/** The one place where an error becomes an exit code. An error nobody foresaw is our own bug: 2, never 1 or 0. */
export function answerForError(error: unknown): ErrorAnswer {
  if (error instanceof InputError) return { kind: "input", code: 2, message: error.message, next: error.next };
  if (error instanceof UnavailableError)
    return { kind: "unavailable", code: 3, message: error.message, next: error.next };
  if (error instanceof DeadEpochError) {
    return { kind: "refused", code: 2, message: error.message, next: "see who holds it: mesh status" };
  }
  if (error instanceof StoppedError || error instanceof RecordsRefusedError || error instanceof CancelledError)
    return { kind: "refused", code: 2, message: error.message, next: error.next };
  const noAnswer = findNoAnswer(error, 0);
  if (noAnswer !== null) {
    return {
      kind: "unavailable",
      code: 3,
      message: noAnswer,
      next: "is the mesh up? start it with npm start (mesh up)",
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  const room = findRoom(error, 0);
  if (room !== null) return { kind: "unavailable", code: 3, message, next: room };
  return {
    kind: "bug",
    code: 2,
    message,
    next: "this is a bug in mesh: run again with MESH_DEBUG=1 for the stack and report it",
  };
}

function findRoom(error: unknown, depth: number): string | null {
  if (typeof error !== "object" || error === null || depth > 8) return null;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code === "53100") return diskOfRecords;
  const words = noRoom[code];
  if (words !== undefined) return `the disk of ${"path" in error ? dirname(String(error.path)) : "that file"} ${words}`;
  return "cause" in error ? findRoom(error.cause, depth + 1) : null;
}

/** Looks through causes: an error is wrapped by each layer that knows more. */
function findNoAnswer(error: unknown, depth: number): string | null {
  if (typeof error !== "object" || error === null || depth > 8) return null;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const message = "message" in error && typeof error.message === "string" ? error.message : "";
  if (noAnswerCodes.test(code)) return message === "" ? code : message;
  if (/^Connection terminated|^timeout expired|timeout exceeded when trying to connect/.test(message)) return message;
  if (error instanceof AggregateError) {
    for (const inner of error.errors as readonly unknown[]) {
      const found = findNoAnswer(inner, depth + 1);
      if (found !== null) return found;
    }
  }
  return "cause" in error ? findNoAnswer(error.cause, depth + 1) : null;
}
