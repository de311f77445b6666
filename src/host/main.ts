import { setTimeout as wait } from "node:timers/promises";
import { armFailpointsBy } from "../core/failpoints.ts";
import { InputError, UnavailableError } from "../core/errors.ts";
import { keepFileWorkGoing } from "../disk/keep-file-work-going.ts";
import { RefusedError } from "../link/refused-error.ts";
import { describeFailure } from "./describe-failure.ts";
import { enrolHost } from "./enrol.ts";
import { listenForStop } from "./listen-for-stop.ts";
import { parseArguments, usage } from "./parse-arguments.ts";
import { readToken } from "./read-token.ts";
import { recoverHost, sayRecovered } from "./recover-host.ts";
import { runHost, stopServices } from "./run-host.ts";

/** R48. A host that runs has no *pending* of its own. */
const exitCodes = { settled: 0, failed: 2, cannotTell: 3 } as const;

keepFileWorkGoing();

async function main(words: readonly string[]): Promise<void> {
  const command = parseArguments(words);
  switch (command.command) {
    case "help":
      process.stdout.write(`${usage}\n`);
      return;
    case "enrol": {
      const token = await readToken(command.tokenFile, (sentence) => process.stderr.write(`mesh-host: ${sentence}\n`));
      const { node, mesh } = await enrolHost(command.dir, token);
      process.stdout.write(`enrolled as ${node} of mesh ${mesh}\n`);
      return;
    }
    case "stop":
      process.stdout.write(`services ended: ${await stopServices(command.dir)}\n`);
      return;
    case "recover": {
      const recovered = await recoverHost(command.dir, command.document, new Date());
      process.stdout.write(`${sayRecovered(recovered, command.json)}\n`);
      return;
    }
    case "run":
      armFailpointsBy(process.env, { process, wait });
      await runHost({ ...command, signal: listenForStop(process, () => process.exit(exitCodes.failed)) });
  }
}

function exitCodeOf(error: unknown): number {
  return error instanceof UnavailableError ? exitCodes.cannotTell : exitCodes.failed;
}

function nextOf(error: unknown): string {
  if (error instanceof InputError || error instanceof UnavailableError) return error.next;
  if (!(error instanceof RefusedError)) return "";
  return error.status === 401
    ? "A token works once, and for an hour: make another with `mesh host token NODE`."
    : "What the controller says of it is in its log; are this host and the controller of one release?";
}

// Files that services read must not depend on who started the host.
process.umask(0o022);
main(process.argv.slice(2)).then(
  () => process.exit(exitCodes.settled),
  (error: unknown) => {
    const next = nextOf(error);
    process.stderr.write(`mesh-host: ${describeFailure(error)}${next === "" ? "" : `\n${next}`}\n`);
    process.exit(exitCodeOf(error));
  },
);
