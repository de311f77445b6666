import type { Name } from "../core/names.ts";
import type { ExitCode } from "../decide/exit-code.ts";
import { askDryRun } from "./ask-controller.ts";
import type { CommandCall, CommandResult } from "./command.ts";
import { findMesh } from "./find-mesh.ts";

/**
 * A dry run, answered by the running controller, which knows the records already; by this process, where none answers. Both
 * by the same function: whatever the controller does not answer is worked out here, errors included.
 */
export async function askOrWork(call: CommandCall, names: readonly Name[]): Promise<CommandResult> {
  const { context, options, schema } = call;
  const state = findMesh({ state: options.state, env: context.env, cwd: context.cwd });
  let why = "as --alone asks";
  if (options["alone"] !== true) {
    const asked = await askDryRun(state, { names, document: schema });
    const shown = asked.by === "controller" ? await showAnswer(call, asked) : null;
    if (shown !== null) {
      context.stderr.write("  answered by the running controller\n");
      return shown;
    }
    why = asked.by === "nobody" ? asked.why : "what the controller answered is no such document";
  }
  context.stderr.write(`  worked out by this process: ${why}\n`);
  return await (await import("./work-alone.ts")).workAlone(call, names);
}

/** Under `--json` the controller's own bytes: of thousands of modules nothing is read and written again. Null: no document. */
async function showAnswer(
  { context, options }: CommandCall,
  { code, document: written }: { readonly code: ExitCode; readonly document: string },
): Promise<CommandResult | null> {
  if (options.json === true) return { code, document: {}, written, text: "" };
  const { dryRunDocumentSchema } = await import("../activities/dry-run-document.ts");
  const { dryRunText } = await import("./text/dry-run-text.ts");
  try {
    const document = dryRunDocumentSchema.parse(JSON.parse(written));
    return { code, document: { ...document }, text: dryRunText(document, context.now()) };
  } catch {
    // absence is the answer: then the command works it out itself
    return null;
  }
}
