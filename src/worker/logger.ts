import { pino, type Logger } from "pino";

/** JSON lines on stderr. One set of field names everywhere: mesh, node, epoch, number, module, push. */
export function createLogger(level: "debug" | "info" | "warn" | "error"): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: [
          "password",
          "*.password",
          "secret",
          "*.secret",
          "token",
          "*.token",
          "databaseUrl",
          "*.databaseUrl",
          "databaseLogins",
          "*.databaseLogins",
        ],
        censor: "[REDACTED]",
      },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}
