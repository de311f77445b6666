import type { CommandCall, CommandDefinition, CommandResult } from "../command.ts";
import { readControllerState } from "../controller-state.ts";
import { conditionKinds, findConditionKind } from "../../core/condition-codes.ts";
import { InputError } from "../../core/errors.ts";
import type { ExitCode } from "../../decide/exit-code.ts";
import { clearCondition, listConditions } from "../../store/conditions.ts";
import { conditionsText } from "../text/conditions-text.ts";
import { plainLine } from "../text/plain.ts";
import type { MeshConnection } from "../mesh-connection.ts";
import { createDiskLook } from "../own-disk.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Something that is not as it should be, urgent first: since when, how often and when last it was seen, and what to do.
Each is closed by what it watches. Only those that nothing can watch the end of are cleared by a person:
${conditionKinds
  .filter((kind) => kind.closes === "a person")
  .map((kind) => `  ${kind.code}: ${kind.watches}`)
  .join("\n")}

Exit code: 0 none is open, 1 some are, 2 an urgent one is, 3 cannot tell: no controller acts, so nobody looks.

Examples:
  mesh conditions
  mesh conditions clear lease-records-lost mesh/shop`;

export const conditionsCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("[clear]", "the word clear, to end one that only a person can end")
      .argument("[code]", "its code")
      .argument("[subject]", "its subject")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const cleared = parseCleared(call);
    return await withMesh(call, async (connection) =>
      cleared === null ? await showConditions(connection, call) : await clearByHand(connection, cleared),
    );
  },
};

async function showConditions({ db, mesh, state }: MeshConnection, call: CommandCall): Promise<CommandResult> {
  const open = await createDiskLook(call.context, state)(await listConditions(db, mesh));
  const controller = await readControllerState(db, mesh);
  const watched = controller.runs && controller.role === "controller";
  const code: ExitCode = open.some((one) => one.urgent) ? 2 : !watched ? 3 : open.length > 0 ? 1 : 0;
  const conditions = open.map((one) => ({
    ...one,
    watches: findConditionKind(one.code)?.watches ?? null,
    clearedByHand: findConditionKind(one.code)?.closes === "a person",
  }));
  return { code, document: { conditions, watched }, text: conditionsText(conditions, watched, call.context.now()) };
}

interface Cleared {
  readonly code: string;
  readonly subject: string;
}

/** Null: to be shown. */
function parseCleared({ args: [word, code, subject] }: CommandCall): Cleared | null {
  if (word === undefined) return null;
  if (word !== "clear" || typeof code !== "string" || typeof subject !== "string")
    throw new InputError("give nothing, or: clear CODE SUBJECT", "mesh conditions lists codes and subjects");
  const kind = findConditionKind(code);
  const next = "see mesh conditions";
  if (kind === undefined) throw new InputError(`there is no condition ${plainLine(code, 60)}`, next);
  if (kind.closes !== "a person")
    throw new InputError(`${code} ends by itself, when it is no longer so that ${kind.watches}`, kind.remedy);
  return { code, subject };
}

async function clearByHand({ db, mesh }: MeshConnection, which: Cleared): Promise<CommandResult> {
  const { code, subject } = which;
  if (!(await clearCondition(db, mesh, which)))
    throw new InputError(`${code} is not open for ${plainLine(subject, 80)}`, "see mesh conditions");
  return { code: 0, document: { cleared: which }, text: `cleared ${code} of ${plainLine(subject, 80)}` };
}
