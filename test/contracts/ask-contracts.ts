import { parseAnswerHead, parseQuestion } from "../../src/core/asking.ts";
import type { Contract } from "./contracts.ts";

/** What a command and a running controller say to each other, a line each. */
export const askContracts: readonly Contract[] = [
  {
    kind: "ask",
    version: "mesh.ask.v1",
    versionMember: "schema",
    unknown: "refused",
    why: "a command and a controller of one code: others do not answer each other, and the command works alone",
    optional: [],
    golden: ["dry-run"],
    producer: "src/cli/ask-controller.ts",
    consumer: "src/worker/answer-asks.ts",
    write: null,
    wrap: (value) => JSON.stringify(value),
    read: parseQuestion,
  },
  {
    kind: "ask-answer",
    version: "mesh.answer.v1",
    versionMember: "schema",
    unknown: "refused",
    why: "as ask; the document behind it is that of the command, by its own schema",
    optional: [],
    golden: ["answered", "declined", "working"],
    producer: "src/worker/answer-asks.ts",
    consumer: "src/cli/ask-controller.ts",
    write: null,
    wrap: (value) => JSON.stringify(value),
    read: parseAnswerHead,
  },
];
