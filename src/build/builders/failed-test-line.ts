/** One line of TAP that says that a test failed. */
export interface FailedTestLine {
  readonly indent: string;
  /** As TAP writes it, with `\#` for a `#` of its own. */
  readonly name: string;
}

/** Null: it says something else. A test whose author marks it as not done yet fails nothing. */
export function readFailedTestLine(line: string): FailedTestLine | null {
  const [, indent, name = ""] = /^(\s*)not ok \d+(?: - (.*))?$/.exec(line) ?? [];
  return indent === undefined || /(?:^|[^\\])# TODO\b/.test(name) ? null : { indent, name };
}
