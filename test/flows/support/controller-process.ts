import { readServeConfig } from "../../../src/cli/serve-config.ts";
import { serve } from "../../../src/worker/serve.ts";

/** `mesh serve` over a state folder, with the workflows as they are in `src`: `controller-process.ts STATE BUNDLE`. */
const [state = "", workflowBundleFile = ""] = process.argv.slice(2);
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
await serve({ ...(await readServeConfig(state)), workflowBundleFile }, stop.signal);
