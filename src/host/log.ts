/** Fields of a log line, with the same names everywhere: node, epoch, number, resource, module. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** JSON lines on stderr. Small on purpose: the host ships as one file. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export interface LogOptions {
  readonly write: (line: string) => void;
  readonly now: () => Date;
  /** Takes known secrets out of a text. */
  readonly redact: (text: string) => string;
}

export function createLog(options: LogOptions): Log {
  const line = (level: string, message: string, fields: LogFields = {}): void => {
    options.write(
      `${options.redact(JSON.stringify({ time: options.now().toISOString(), level, message, ...fields }))}\n`,
    );
  };
  return {
    info: (message, fields) => line("info", message, fields),
    warn: (message, fields) => line("warn", message, fields),
    error: (message, fields) => line("error", message, fields),
  };
}
