import type { Socket } from "node:net";
import { join } from "node:path";
import { codeVersion } from "../activities/code-version.ts";
import {
  type AnswerHead,
  askFolderName,
  askSocketName,
  dryRunQuestion,
  headBytesLimit,
  parseAnswerHead,
  type Question,
  questionBytesLimit,
  workingEveryMs,
} from "../core/asking.ts";
import type { Name } from "../core/names.ts";
import type { ExitCode } from "../decide/exit-code.ts";
import { connectInFolder } from "../disk/socket-folder.ts";
import { markSetup } from "./setup-marks.ts";
import { plainLine } from "./text/plain.ts";

/** `alone`: nobody answered, and why; then a command does the work itself, and finds whatever is wrong. */
export type Asked =
  | { readonly by: "controller"; readonly code: ExitCode; readonly document: string }
  | { readonly by: "nobody"; readonly why: string };

export interface AskBounds {
  /** Until it says that it works on it. */
  readonly firstMs: number;
  /** Between two signs of life. */
  readonly silentMs: number;
}

const askBounds: AskBounds = { firstMs: 2_000, silentMs: 5 * workingEveryMs };

/** Asks the controller of a state folder what a dry run says, over its socket. Opens neither records nor sources. */
export async function askDryRun(
  stateFolder: string,
  { names, document }: { readonly names: readonly Name[]; readonly document: string },
  bounds: AskBounds = askBounds,
): Promise<Asked> {
  const socket = await connectInFolder(join(stateFolder, askFolderName), askSocketName);
  if (socket === null) return { by: "nobody", why: "no controller listens here" };
  try {
    const { meshFile, ...marks } = await markSetup(stateFolder);
    const mesh = findName(meshFile);
    if (mesh === null) return { by: "nobody", why: "mesh.json names no mesh" };
    const question: Question = {
      schema: "mesh.ask.v1",
      question: dryRunQuestion,
      code: codeVersion(),
      document,
      mesh,
      ...marks,
      names: [...names],
    };
    const line = `${JSON.stringify(question)}\n`;
    if (Buffer.byteLength(line) > questionBytesLimit) return { by: "nobody", why: "too many modules are named" };
    socket.write(line);
    return await readAnswer(socket, bounds);
  } finally {
    socket.destroy();
  }
}

/** Not held to its schema here: what is wrong in it is said by whoever reads it to act on it. */
function findName(meshFile: string): string | null {
  try {
    const file: unknown = JSON.parse(meshFile);
    return typeof file === "object" && file !== null && "mesh" in file && typeof file.mesh === "string"
      ? file.mesh
      : null;
  } catch {
    // absence is the answer: the command that goes on alone reads it again, and says where it is broken
    return null;
  }
}

function readAnswer(socket: Socket, { firstMs, silentMs }: AskBounds): Promise<Asked> {
  return new Promise((resolve) => {
    const nobody = (why: string): void => resolve({ by: "nobody", why });
    const reader = createReader();
    // It may have been cut off before anybody listened.
    if (socket.destroyed) return nobody("the controller broke off");
    socket.setTimeout(firstMs);
    socket.on("timeout", () => nobody(`the controller said nothing for ${(socket.timeout ?? 0) / 1_000} s`));
    socket.on("close", () => nobody("the controller broke off"));
    socket.on("data", (part: Buffer) => {
      socket.setTimeout(silentMs);
      try {
        const read = reader.take(part);
        if (read === null) return;
        if (read.head.state === "declined") nobody(sayDeclined(read.head));
        else if (read.head.state === "answered")
          resolve({ by: "controller", code: read.head.code, document: read.document });
      } catch {
        // absence is the answer: what cannot be read is no answer, and the command does the work itself
        nobody("what answered is no controller of this code");
      }
    });
  });
}

interface Read {
  readonly head: AnswerHead;
  readonly document: string;
}

/** Null: more is to come. Throws at what is no answer. */
function createReader(): { take(part: Buffer): Read | null } {
  let rest = Buffer.alloc(0);
  let head: (AnswerHead & { readonly state: "answered" }) | null = null;
  const parts: Buffer[] = [];
  let bytes = 0;
  const takeBody = (part: Buffer): Read | null => {
    if (head === null) return null;
    parts.push(part);
    bytes += part.length;
    if (bytes > head.bytes) throw new Error("more came than was announced");
    return bytes < head.bytes ? null : { head, document: Buffer.concat(parts).toString("utf8") };
  };
  return {
    take(part) {
      if (head !== null) return takeBody(part);
      rest = Buffer.concat([rest, part]);
      for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
        const found = parseAnswerHead(rest.toString("utf8", 0, end));
        rest = rest.subarray(end + 1);
        if (found.state === "declined") return { head: found, document: "" };
        if (found.state === "working") continue;
        head = found;
        return takeBody(rest);
      }
      if (rest.length > headBytesLimit) throw new Error("this line does not end");
      return null;
    },
  };
}

function sayDeclined({ said }: AnswerHead & { readonly state: "declined" }): string {
  return plainLine(said, 300);
}
