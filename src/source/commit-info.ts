import type { ObjectId } from "../core/names.ts";
import { runGit } from "./git.ts";
import { readCommitText } from "./kept-objects.ts";
import type { ObjectSession } from "./object-session.ts";
import type { CommitInfo } from "./repository.ts";

interface Clone {
  readonly dir: string;
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
  readonly session: ObjectSession;
}

/** A commit for people: its time and its subject, as `git log` says them. */
export async function commitInfo(clone: Clone, commit: ObjectId): Promise<CommitInfo> {
  const { seconds, subject } = (await readCommit(clone.session, commit)) ?? (await askGit(clone, commit));
  const time = Number(seconds);
  return {
    id: commit,
    // A commit may claim any time; one that no calendar has, or that has five digits of year, is shown as the beginning.
    at: new Date(Number.isSafeInteger(time) && time >= 0 && time < afterYear9999 ? time * 1000 : 0).toISOString(),
    subject: cleanSubject(subject),
  };
}

/** Seconds since 1970: the records, and everybody who reads a time, know years of four digits. */
const afterYear9999 = 253_402_300_800;

interface Said {
  readonly seconds: string;
  readonly subject: string;
}

/** From the object itself. Null: git does not have it, it is long, or in another encoding: then git is to say it. */
async function readCommit(session: ObjectSession, commit: ObjectId): Promise<Said | null> {
  const text = await readCommitText(session, commit);
  if (text === null) return null;
  const end = text.indexOf("\n\n");
  const head = end === -1 ? text : text.slice(0, end);
  const seconds = /^committer .*> (\d+) [+-]\d+$/m.exec(head)?.[1];
  if (seconds === undefined || /^encoding /m.test(head) || text.includes("\ufffd")) return null;
  const lines = end === -1 ? [] : text.slice(end + 2).split("\n");
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first === -1) return { seconds, subject: "" };
  const after = lines.findIndex((line, at) => at > first && line.trim() === "");
  const title = lines.slice(first, after === -1 ? undefined : after).map((line) => line.trimEnd());
  return { seconds, subject: title.join(" ") };
}

async function askGit({ dir, waitMs, signal }: Clone, commit: ObjectId): Promise<Said> {
  const format = "--format=%ct%x00%<(250,trunc)%s";
  const args = ["log", "-1", "--no-show-signature", "--encoding=UTF-8", format, "--end-of-options", commit];
  const output = await runGit({ dir, args, waitMs, signal });
  const [seconds = "", subject = ""] = output.toString("utf8").split("\0");
  return { seconds, subject };
}

function cleanSubject(text: string): string {
  // Control characters and marks that turn text around: a subject is printed on terminals and pages.
  const plain = text.replaceAll(/[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, " ").trim();
  return plain.slice(0, 200).toWellFormed().trimEnd();
}
