import pg from "pg";
import { InputError, RecordsRefusedError, UnavailableError } from "../core/errors.ts";

/** SQLSTATE classes in which PostgreSQL did not decide about our statement: connection, resources, operator, system. */
const unavailableClasses = new Set(["08", "53", "57", "58"]);
/** Single codes of the same kind: read only (a standby), idle in transaction, transaction and lock time-outs. */
const unavailableCodes = new Set(["25006", "25P03", "25P04", "55P03"]);
const serializationCodes = new Set(["40001", "40P01"]);
/** At the connection: no such role, or not one of this user's (R41). */
const roleCodes = new Set(["22023", "42501"]);
const rightCode = "42501";
/** Undefined table, column, function, schema: the tables are not of this code's version. */
const otherTablesCodes = new Set(["42P01", "42703", "42883", "3F000"]);
/** No such login, another password, no such database: a person mends these, in the address or on the server. */
const credentialCodes = new Set(["28000", "28P01", "3D000"]);
/** The database takes no connections now: an administrator is at it. */
const closedCode = "55000";

/**
 * What a failed statement means to a caller: UnavailableError where nothing was decided and asking again may help,
 * RecordsRefusedError where the server does not let us in, or a right or a table is missing, until a person changes that; else
 * the error itself. None of them ends a push: the server may be right again before the address is.
 * The cause is always kept.
 */
export function readFailure(error: unknown, doing: string): Error {
  if (error instanceof UnavailableError || error instanceof InputError || error instanceof RecordsRefusedError)
    return error;
  if (error instanceof pg.DatabaseError) return readDatabaseError(error, doing);
  // A bad parameter is our own mistake; everything else that is not an answer of the server is the road to it.
  if (error instanceof TypeError || error instanceof RangeError) return error;
  return new UnavailableError(
    `PostgreSQL did not answer while ${doing}: ${messageOf(error)}`,
    "see whether the database runs, then try again",
    { cause: error },
  );
}

export function isSerializationFailure(error: unknown): boolean {
  const cause = error instanceof UnavailableError ? error.cause : error;
  return cause instanceof pg.DatabaseError && cause.code !== undefined && serializationCodes.has(cause.code);
}

/** A row with that key is there already. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23505";
}

/** The database's user may not do that. */
export function isRightMissing(error: unknown): error is RecordsRefusedError {
  return (
    error instanceof RecordsRefusedError && error.cause instanceof pg.DatabaseError && error.cause.code === rightCode
  );
}

/** Somebody else made or changed the same role or row of the catalog in the same moment. */
export function isRaceWithAnother(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return (
    error.code === "42710" || error.code === "23505" || (error.code === "XX000" && /concurrently/.test(error.message))
  );
}

/** True where the server said itself that the statement failed: the connection lives and nothing is unknown. */
export function isRefusedByServer(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === "ERROR";
}

function readDatabaseError(error: pg.DatabaseError, doing: string): Error {
  const code = error.code ?? "";
  if (credentialCodes.has(code)) {
    return new RecordsRefusedError(
      `PostgreSQL refused the connection while ${doing}: ${error.message}`,
      "check user, password and database of the database URL, and that the server has them",
      { cause: error },
    );
  }
  if (error.severity === "FATAL" && /\brole\b/.test(error.message) && roleCodes.has(code)) {
    return new RecordsRefusedError(
      `PostgreSQL did not let this process take its role: ${error.message}`,
      "see what is missing: mesh database roles",
      { cause: error },
    );
  }
  if (serializationCodes.has(code)) {
    return new UnavailableError(`two transactions were in each other's way while ${doing} (${code})`, "try again", {
      cause: error,
    });
  }
  const isClosed = error.severity === "FATAL" && code === closedCode;
  if (isClosed || unavailableClasses.has(code.slice(0, 2)) || unavailableCodes.has(code)) {
    return new UnavailableError(
      `PostgreSQL gave up while ${doing}: ${error.message} (${code})`,
      "see whether the database runs and has room, then try again",
      { cause: error },
    );
  }
  if (code === rightCode) {
    return new RecordsRefusedError(
      `PostgreSQL does not allow it: ${error.message}, ${doing}`,
      "see which rights are missing: mesh database roles; its --apply gives them, as the owner of the tables",
      { cause: error },
    );
  }
  if (otherTablesCodes.has(code)) {
    return new RecordsRefusedError(
      `the tables are not those of this version of mesh: ${error.message}, ${doing}`,
      "bring the tables up as their owner: mesh database roles --apply, or mesh up, of this version",
      { cause: error },
    );
  }
  return error;
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
