import { z } from "zod";
import { type Name, nameSchema } from "./names.ts";

/** Below a state folder: who may enter it may ask. */
export const askFolderName = "ask";
export const askSocketName = "controller.sock";

/** One line of JSON. */
export const questionBytesLimit = 64 * 1024;
export const headBytesLimit = 4 * 1024;
export const answerBytesLimit = 256 * 1024 * 1024;
/** While a question is worked on, so often is that said: who hears nothing for several of them need not wait. */
export const workingEveryMs = 1_000;

export const dryRunQuestion = "build --dry-run";
export const dryRunSchemaName = "mesh.build.v1";

/** What a command asks of a running controller, over a socket of the state folder. */
export const questionSchema = z.strictObject({
  schema: z.literal("mesh.ask.v1"),
  question: z.literal(dryRunQuestion),
  /** Of the code that asks: other code may answer otherwise. */
  code: z.string().max(100),
  /** Schema of the document that is wanted. */
  document: z.string().max(100),
  mesh: nameSchema,
  /** The state folder, by device and number: one folder has many paths. */
  state: z.string().max(100),
  /** Digest of `mesh.json` and `settings.json` as they are now: a controller goes by what they were when it started. */
  setup: z.string().max(100),
  /** Empty: all modules. */
  names: z.array(nameSchema).max(1_000),
});
export type Question = z.infer<typeof questionSchema>;

export const declinedWhy = [
  "not-understood",
  "other-mesh",
  "other-state",
  "other-code",
  "other-document",
  "other-setup",
  "busy",
  "failed",
] as const;
export type DeclinedWhy = (typeof declinedWhy)[number];

/** Lines of an answer; behind `answered` come its bytes, and nothing else. */
export const answerHeadSchema = z.discriminatedUnion("state", [
  z.strictObject({ schema: z.literal("mesh.answer.v1"), state: z.literal("working") }),
  z.strictObject({
    schema: z.literal("mesh.answer.v1"),
    state: z.literal("declined"),
    why: z.enum(declinedWhy),
    /** A sentence. */
    said: z.string().max(1_000),
  }),
  z.strictObject({
    schema: z.literal("mesh.answer.v1"),
    state: z.literal("answered"),
    code: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
    bytes: z.number().int().min(2).max(answerBytesLimit),
  }),
]);
export type AnswerHead = z.infer<typeof answerHeadSchema>;

/** Whom a controller answers for, and by what: of whoever asks it must be the same. */
export type Answering = Pick<Question, "code" | "document" | "mesh" | "state" | "setup">;

/** Null: what is asked is what this controller would answer. */
export function judgeQuestion(
  question: Question,
  own: Answering,
): { readonly why: DeclinedWhy; readonly said: string } | null {
  if (question.mesh !== own.mesh) return { why: "other-mesh", said: sayOther("mesh", own.mesh, question.mesh) };
  if (question.state !== own.state) return { why: "other-state", said: "this controller has another state folder" };
  if (question.code !== own.code)
    return { why: "other-code", said: "the controller runs other code: it was built before or after this command" };
  if (question.document !== own.document)
    return { why: "other-document", said: sayOther("document", own.document, question.document) };
  if (question.setup !== own.setup)
    return { why: "other-setup", said: "mesh.json or settings.json was changed since the controller started" };
  return null;
}

function sayOther(what: string, own: string, asked: Name): string {
  return `this controller answers for ${what} ${own}, not for ${asked}`;
}

export function parseQuestion(line: string): Question {
  return questionSchema.parse(JSON.parse(line));
}

/** Throws where it is no such line. */
export function parseAnswerHead(line: string): AnswerHead {
  return answerHeadSchema.parse(JSON.parse(line));
}
