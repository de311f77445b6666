import type { Command } from "commander";
import type { RecordsIdentity } from "../store/writers/database-role.ts";
import type { CliContext } from "./context.ts";
import type { ExitCode } from "../decide/exit-code.ts";

/** What a command found out: one versioned document, the same as text for a person, and the exit code. */
export interface CommandResult {
  readonly code: ExitCode;
  /** Printed under `--json` behind `schema`; keys are stable, additions only. */
  readonly document: Readonly<Record<string, unknown>>;
  /** The document with its schema, where somebody wrote it already: printed in its place. */
  readonly written?: string;
  /** Printed otherwise. Ends with the next command to try, where there is one. */
  readonly text: string;
}

export interface CommonOptions {
  readonly json?: true;
  readonly state?: string;
}

/**
 * One command: how it is called, and what it does. `run` gets what commander parsed: positional arguments as an array
 * and the options, the common ones among them. Null: it has written for itself (watching, serving).
 */
export interface CommandDefinition {
  configure(command: Command): void;
  run(call: CommandCall): Promise<CommandResult | ExitCode>;
}

export interface CommandCall {
  readonly context: CliContext;
  readonly args: readonly unknown[];
  readonly options: CommonOptions & Readonly<Record<string, unknown>>;
  /** The options that a person gave, with their flags as typed: what has a default is among `options` all the same. */
  readonly typed: ReadonlyMap<string, string>;
  /** Of its row in the command table; a viewer where what was typed only looks. */
  readonly as: RecordsIdentity;
  /** `mesh.<command>.v1`. */
  readonly schema: string;
}
