import type { CommandCall } from "../command.ts";
import type { ExitCode } from "../../decide/exit-code.ts";
import { answerForError, errorOf } from "../answer-for-error.ts";
import { explainFailure } from "../explain-no-answer.ts";
import { plainLine } from "../text/plain.ts";
import { statusText } from "../text/status-text.ts";
import { pauseAfter, sleep } from "../wait.ts";
import type { StatusDocument } from "./build-status.ts";
import { statusCode } from "./status-code.ts";
import { withoutAges } from "./without-ages.ts";

const everyMs = 1000;
const clearScreen = "\u001b[H\u001b[2J\u001b[3J";

/**
 * Shows a status until the person ends it: redrawn on a terminal, printed anew when something changed otherwise, one
 * document a line under `--json`. A store that does not answer is said, by an error document there, and asked again. Ends with
 * the last code known.
 */
export async function watchStatus(
  call: CommandCall,
  state: string,
  read: () => Promise<StatusDocument>,
): Promise<ExitCode> {
  const { context } = call;
  const interrupt = context.listenForInterrupt();
  // While nothing changes nothing is written: `mesh status --watch | head -1` would go on for ever.
  const endReaderWatch = context.watchReader();
  try {
    return await showUntil(interrupt, call, state, read);
  } finally {
    endReaderWatch();
  }
}

async function showUntil(
  interrupt: AbortSignal,
  { context, options, schema }: CommandCall,
  state: string,
  read: () => Promise<StatusDocument>,
): Promise<ExitCode> {
  let before = "";
  let said = "";
  let code: ExitCode = 3;
  while (!interrupt.aborted) {
    const startedMs = performance.now();
    try {
      const status = await read();
      code = statusCode(status);
      const now = withoutAges(status);
      // After no answer the same one is news too.
      const isNews = now !== before || said !== "";
      if (options.json) {
        if (isNews) context.stdout.write(`${JSON.stringify({ schema, ...status })}\n`);
      } else if (context.stdout.isTerminal) {
        context.stdout.write(
          `${clearScreen}${statusText(status, new Date(status.readAt), { watched: true, all: options["all"] === true })}\n`,
        );
      } else if (isNews) {
        context.stdout.write(
          `${statusText(status, new Date(status.readAt), { watched: true, all: options["all"] === true })}\n\n`,
        );
      }
      before = now;
      said = "";
    } catch (error) {
      const answer = answerForError(await explainFailure(error, { context, state }));
      if (answer.code !== 3) throw error;
      code = 3;
      if (said !== answer.message) {
        context.stderr.write(`mesh: ${plainLine(answer.message)}; asking again\n  next: ${plainLine(answer.next)}\n`);
        if (options.json) context.stdout.write(`${JSON.stringify({ schema, error: errorOf(answer) })}\n`);
      }
      said = answer.message;
    }
    await sleep(pauseAfter(startedMs, everyMs), interrupt);
  }
  return code;
}
