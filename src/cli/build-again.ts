import type { Condition } from "../core/condition.ts";
import { InputError, UnavailableError } from "../core/errors.ts";
import type { Digest, Name } from "../core/names.ts";
import { keyOfArtifact } from "../decide/group-losses.ts";
import { type ArtifactDoubt, doubtArtifact, listDoubts } from "../store/artifact-doubts.ts";
import { type BuildCheck, listChecksAt } from "../store/build-checks.ts";
import { type BuildState, listBuildStates } from "../store/builds.ts";
import { listConditions } from "../store/conditions.ts";
import { listModules, type ModuleRecord } from "../store/modules.ts";
import type { CommandCall, CommandResult } from "./command.ts";
import { expectController } from "./controller.ts";
import type { MeshConnection } from "./mesh-connection.ts";
import { type Again, againText } from "./text/again-text.ts";
import { plainLine } from "./text/plain.ts";
import { pauseAfter, sleep } from "./wait.ts";

interface Asked {
  readonly module: Name;
  readonly artifact: string;
  readonly inputs: string;
  readonly isWanted: boolean;
}

/**
 * Has the newest fit artifacts of these modules (of all, where none is named) looked at, and what they were built from
 * built again. What is lost is put back; what is there is built beside it and compared.
 */
export async function buildAgain(
  call: CommandCall,
  connection: MeshConnection,
  wait: { readonly names: readonly Name[]; readonly timeoutMs: number },
): Promise<CommandResult> {
  const { db, mesh } = connection;
  // Nobody else looks and builds: one would wait in silence.
  await expectController(connection, "start it: npm start (mesh up), or mesh serve");
  const asked = chooseModules(await listModules(db, mesh), wait.names);
  for (const one of asked) await doubtArtifact(db, mesh, one, "person");
  const interrupt = call.context.listenForInterrupt();
  const until = performance.now() + wait.timeoutMs;
  const said = new Map<Name, string>();
  const done = new Map<Name, Again>();
  for (;;) {
    const startedMs = performance.now();
    const open = asked.filter(({ module }) => !done.has(module));
    const turn = await readTurn(connection, open);
    for (const one of open) {
      const seen = look(turn, one);
      if (seen.outcome !== "pending") done.set(one.module, seen);
      if (said.get(one.module) !== seen.why)
        call.context.stderr.write(`  ${one.module}: ${plainLine(seen.why, 400)}\n`);
      said.set(one.module, seen.why);
    }
    if (done.size === asked.length || performance.now() >= until || interrupt.aborted) break;
    await sleep(Math.min(pauseAfter(startedMs, 300), Math.max(1, until - performance.now())), interrupt);
  }
  const again = asked.map(
    (one): Again =>
      done.get(one.module) ?? { ...nameOf(one), outcome: "pending", why: said.get(one.module) ?? "", files: [] },
  );
  const isBad = again.some(({ outcome }) => outcome === "differs" || outcome === "failed");
  const code = isBad ? 2 : again.some(({ outcome }) => outcome === "pending") ? 1 : 0;
  return { code, document: { again }, text: againText(again) };
}

function chooseModules(modules: readonly ModuleRecord[], names: readonly Name[]): Asked[] {
  const wanted = new Set(names);
  const chosen = names.length === 0 ? modules : modules.filter(({ name }) => wanted.has(name));
  const asked = chosen.flatMap(({ name, fitArtifact, fitInputs, wantedInputs }): Asked[] =>
    fitArtifact === null || fitInputs === null
      ? []
      : [{ module: name, artifact: fitArtifact, inputs: fitInputs, isWanted: fitInputs === wantedInputs }],
  );
  const found = new Set(asked.map(({ module }) => module));
  const never = names.filter((name) => !found.has(name));
  if (never.length > 0)
    throw new InputError(`${never.join(", ")} has no fit build that could be built again`, "mesh build --wait");
  if (asked.length === 0) throw new InputError("no module has a fit build yet", "mesh build --wait");
  return asked;
}

function nameOf({ module, artifact }: Asked): Pick<Again, "module" | "artifact"> {
  return { module, artifact };
}

/** What the records say of those that are open: read once, however many they are. */
interface Turn {
  readonly doubts: ReadonlyMap<string, ArtifactDoubt>;
  /** By module and inputs. */
  readonly builds: ReadonlyMap<string, BuildState>;
  readonly checks: ReadonlyMap<string, BuildCheck>;
  /** The controller cannot look at any artifact. */
  readonly failing: Condition | undefined;
}

const keyOf = ({ module, inputs }: { readonly module: Name; readonly inputs: Digest }): string => `${module} ${inputs}`;

/** The doubts first: what is said of a build after that is not older. */
async function readTurn({ db, mesh }: MeshConnection, open: readonly Asked[]): Promise<Turn> {
  const inputs = open.map((one) => one.inputs);
  return {
    doubts: new Map((await listDoubts(db, mesh)).map((doubt) => [keyOfArtifact(doubt), doubt])),
    builds: new Map((await listBuildStates(db, mesh, inputs)).map((build) => [keyOf(build), build])),
    checks: new Map((await listChecksAt(db, mesh, inputs)).map((check) => [keyOf(check), check])),
    failing: (await listConditions(db, mesh)).find(({ code }) => code === "artifact-watch-failing"),
  };
}

function look(turn: Turn, asked: Asked): Again {
  const answer = (outcome: Again["outcome"], why: string, files: readonly string[] = []): Again => ({
    ...nameOf(asked),
    outcome,
    why,
    files,
  });
  const doubt = turn.doubts.get(keyOfArtifact(asked));
  const build = turn.builds.get(keyOf(asked));
  // Whose artifact is another one now is not asked about any more.
  if (build?.state === "fit" && build.artifact !== asked.artifact)
    return answer(
      "differs",
      `built again from the same inputs it is ${build.artifact?.slice(7, 19)}: which files differ cannot be said, the first ones are lost`,
    );
  if (doubt === undefined) return answer("failed", "its module wants another artifact now: see mesh why");
  if (doubt.state === "asked") {
    if (turn.failing !== undefined) throw explainFailing(turn.failing);
    return answer("pending", "the controller is asked to look at it");
  }
  if (doubt.state === "lost") return lookAtLost(answer, asked, build, doubt.found);
  if (doubt.found !== "")
    return answer("back", `it was lost (${doubt.found}) and is there again, with the same content`);
  const check = build === undefined ? undefined : turn.checks.get(keyOf(build));
  return lookAtCheck(answer, check?.artifact === asked.artifact ? check : undefined);
}

/** A controller that cannot look at any artifact would be waited for in silence. What was asked stays asked. */
function explainFailing({ lastSeen, message, remedy }: Condition): UnavailableError {
  return new UnavailableError(
    `the controller cannot look at artifacts now, it was seen at ${lastSeen}: ${message}`,
    `${remedy}; it looks at what was asked as soon as it can`,
  );
}

type Answer = (outcome: Again["outcome"], why: string, files?: readonly string[]) => Again;

function lookAtLost(answer: Answer, asked: Asked, build: BuildState | undefined, found: string): Again {
  if (!asked.isWanted)
    return answer(
      "failed",
      `it is lost (${found}), and its source gives another one now: see mesh why ${asked.module}`,
    );
  if (build?.state === "unfit") return answer("failed", `it is lost, and built again it is unfit: ${build.message}`);
  if (build?.state === "outstanding" && build.class !== "artifact-store")
    return answer("pending", `it is lost, and nobody could judge it yet: ${build.message}`);
  return answer("pending", `it is lost (${found}) and is built again`);
}

function lookAtCheck(answer: Answer, check: BuildCheck | undefined): Again {
  if (check === undefined)
    return answer("failed", "its files are there; its source or its tools have moved on, so it cannot be built again");
  if (check.state === "same") return answer("same", "its files are there, and built again it is the same");
  if (check.state === "differs")
    return answer("differs", `its files are there; built again, ${check.files.length} files differ`, check.files);
  return answer(
    "pending",
    check.failure === null
      ? "its files are there; it is built again to compare"
      : `it could not be built again: ${check.failure}`,
  );
}
