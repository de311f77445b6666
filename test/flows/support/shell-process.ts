import { openMeshConnection } from "../../../src/cli/mesh-connection.ts";
import { createContext } from "../../../src/cli/real-context.ts";
import { run } from "../../../src/cli/run.ts";

/** `mesh WORDS` over a state folder, with the workflows as they are in `src`: `shell-process.ts STATE BUNDLE WORDS`. */
const [state = "", workflowBundleFile = "", ...words] = process.argv.slice(2);
const context = createContext(process);
const code = await run([...words, "--state", state], {
  ...context,
  openMesh: async (folder, as) => {
    const connection = await openMeshConnection(folder, as);
    return {
      ...connection,
      readServeConfig: async () => ({ ...(await connection.readServeConfig()), workflowBundleFile }),
    };
  },
});
process.exit(code);
