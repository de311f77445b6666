import { UnavailableError } from "../../core/errors.ts";
import { findOnPath } from "../find-on-path.ts";
import { runCommand } from "../run-command.ts";
import { keepBinary } from "./binary-cache.ts";
import type { Road } from "./road.ts";

/** The last release that builds so: later ones replace a module whose source the module proxy does not have. */
const source = "github.com/temporalio/cli/cmd/temporal@v1.5.1";

export const goRoad: Road = {
  name: `go install ${source}`,
  find: async (context) => {
    const go = await findOnPath("go", context.env);
    if (go === null) throw new UnavailableError("there is no go on the PATH");
    context.progress("Temporal: building it from source by Go; minutes, and some 3 GB of Go's caches");
    return await keepBinary(context, async (folder) => {
      const env = { ...context.env, GOBIN: folder, CGO_ENABLED: "0", GOFLAGS: "" };
      await runCommand(go, ["install", source], { timeoutMs: 30 * 60_000, cwd: folder, env });
    });
  },
};
