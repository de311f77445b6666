import { describeToolchain } from "../../build/toolchain.ts";
import { assign } from "../../store/assignments.ts";
import { listSends } from "../../store/declarations.ts";
import { addModule, listModules } from "../../store/modules.ts";
import { openController } from "../controller.ts";
import type { MeshConnection } from "../mesh-connection.ts";
import { followPush } from "../push/follow-push.ts";
import { plainLine } from "../text/plain.ts";
import { sayEffect } from "../text/say-effect.ts";
import { sleep } from "../wait.ts";
import { whoAsks } from "../who-asks.ts";
import { sayLanguages } from "./say-languages.ts";
import { sayState } from "./up-text.ts";
import { exampleRepository, languageExamples, loopback, type UpParts } from "./up-plan.ts";

const node = "node-a";
const buildTimeoutMs = 15 * 60_000;
const appliedTimeoutMs = 120_000;
/** More sends than an example's node ever gets. */
const sendsLooked = 1_000;

type Example = (typeof languageExamples)[number];

/**
 * One example more for each language whose tools are on this machine, once the mesh is up: they are built while a
 * person looks around, and pushed to node-a in one push. What was delivered once is a person's to keep or to unassign.
 */
export async function deliverLanguages(parts: UpParts, connection: MeshConnection): Promise<void> {
  const { say, interrupt } = parts;
  const delivered = await listDelivered(connection);
  const missing = languageExamples.filter(({ module }) => !delivered.has(module));
  const present = missing.filter((example) => isPresent(parts, example));
  if (present.length === 0) return;
  await register(connection, present);
  const fit = await waitUntilJudged(parts, connection, present);
  if (fit.length === 0 || interrupt.aborted) return;
  for (const { module } of fit)
    await assign(connection.db, connection.mesh, {
      node,
      module,
      config: { port: String(await parts.keepPort(module)) },
      providers: {},
    });
  const controller = await openController(connection);
  try {
    const push = await followPush(
      connection,
      controller,
      { kind: "named", named: [node], why: "", requestedBy: whoAsks(), confirmRemoval: false },
      { timeoutMs: appliedTimeoutMs, say, interrupt },
    );
    const words = push.nodes.map((one) => `${one.node}: ${sayEffect(one.effect)}`);
    say(`examples in ${fit.map((one) => one.language).join(", ")} pushed: ${push.outcome}; ${words.join(", ")}`);
    const examples: { readonly module: string; readonly url: string }[] = [];
    for (const { module } of fit) examples.push({ module, url: `http://${loopback}:${await parts.keepPort(module)}/` });
    for (const line of sayLanguages(push, { node, examples, state: sayState(parts.paths.root) })) say(line);
  } finally {
    await controller.close();
  }
}

/** What node-a was ever sent: an example that somebody took away does not come back. */
async function listDelivered({ db, mesh }: MeshConnection): Promise<ReadonlySet<string>> {
  const sends = await listSends(db, mesh, node, sendsLooked);
  return new Set(sends.flatMap((sent) => Object.keys(sent.builds ?? {})));
}

function isPresent(parts: UpParts, { module, language }: Example): boolean {
  const toolchain = describeToolchain(language);
  if (!toolchain.startsWith("absent")) return true;
  parts.say(`the example ${module} is skipped: ${toolchain.replace("absent: ", "")}`);
  return false;
}

async function register({ db, mesh }: MeshConnection, examples: readonly Example[]): Promise<void> {
  const known = new Set((await listModules(db, mesh)).map((module) => module.name));
  for (const { module } of examples)
    if (!known.has(module))
      await addModule(db, mesh, { name: module, repository: exampleRepository, branch: "main", path: module });
}

/** Answers those that are fit; the others are said, with where to look. */
async function waitUntilJudged(
  parts: UpParts,
  connection: MeshConnection,
  examples: readonly Example[],
): Promise<readonly Example[]> {
  const { say, interrupt } = parts;
  const controller = await openController(connection);
  try {
    await controller.wake("the examples in other languages were registered");
  } finally {
    await controller.close();
  }
  const until = performance.now() + buildTimeoutMs;
  const said = new Set<string>();
  for (;;) {
    const modules = await listModules(connection.db, connection.mesh);
    const judged = examples.flatMap((example) => {
      const record = modules.find((module) => module.name === example.module);
      if (record === undefined) return [];
      const isFit = record.fitArtifact !== null;
      if (!isFit && !["unfit", "broken"].includes(record.standing)) return [];
      const words = isFit ? "fit" : `${record.standing}: ${plainLine(record.standingWhy, 160)}`;
      const more = isFit ? "" : `; \`npx mesh why ${example.module}${sayState(parts.paths.root)}\` says more`;
      if (!said.has(example.module)) say(`${example.module}: ${words}${more}`);
      said.add(example.module);
      return [{ example, isFit }];
    });
    const fit = judged.filter((one) => one.isFit).map((one) => one.example);
    if (judged.length === examples.length || interrupt.aborted) return fit;
    if (performance.now() > until) {
      say(`examples not judged within ${buildTimeoutMs / 60_000} minutes are left to \`mesh status\``);
      return fit;
    }
    await sleep(300, interrupt);
  }
}
