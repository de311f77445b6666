import { DefaultLogger, Runtime, type LogEntry } from "@temporalio/worker";
import type { Logger } from "pino";

/** One runtime for the process, before any connection. Shutdown is ours: the lease is given back after the work. */
export function installTemporalRuntime(log: Logger): void {
  const levels = { TRACE: "trace", DEBUG: "debug", INFO: "info", WARN: "warn", ERROR: "error" } as const;
  const write = (entry: LogEntry): void => {
    log[levels[entry.level]]({ ...entry.meta, from: "temporal" }, entry.message);
  };
  Runtime.install({
    logger: new DefaultLogger("WARN", write),
    telemetryOptions: { logging: { filter: { core: "WARN", other: "ERROR" }, forward: {} } },
    shutdownSignals: [],
  });
}
