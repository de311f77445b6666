import { parentPort } from "node:worker_threads";
import { createObjectSession, type ObjectSession } from "../object-session.ts";
import type { FileImports } from "./import-reader.ts";
import type { ThreadAnswer, ThreadQuestion } from "./reading-thread.ts";
import { createTypeScriptReader } from "./typescript.ts";

// What the thread of `reading-thread.ts` runs. It reads clones by itself: so no text crosses between the threads.

const reader = createTypeScriptReader();
const sessions = new Map<string, ObjectSession>();
const clonesKept = 20;
const waitMs = 60_000;

function sessionOf(dir: string): ObjectSession {
  const known = sessions.get(dir);
  if (known !== undefined) return known;
  if (sessions.size >= clonesKept) sessions.clear();
  const session = createObjectSession({ dir, waitMs, signal: undefined });
  sessions.set(dir, session);
  return session;
}

/** Null: an object is not there, or is not what it is said to be. Who asked finds out what is the matter. */
async function readJob({ dir, language, files, limitBytes }: ThreadQuestion): Promise<readonly FileImports[] | null> {
  if (language !== reader.language) return null;
  const objects = await sessionOf(dir).read(
    files.map(({ blob }) => blob),
    limitBytes,
  );
  const texts = files.flatMap(({ path }, at) => {
    const found = objects[at];
    return found?.type === "blob" && found.content !== null ? [{ path, text: found.content.toString("utf8") }] : [];
  });
  return texts.length === files.length ? reader.readImports(texts) : null;
}

parentPort?.on("message", (question: ThreadQuestion) => {
  const answer = (imports: ThreadAnswer["imports"]): void => {
    const said: ThreadAnswer = { id: question.id, imports };
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window.
    parentPort?.postMessage(said);
  };
  // absence is the answer: whoever asked reads these files, and has the error
  readJob(question).then(answer, () => answer(null));
});
