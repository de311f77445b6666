import { InputError } from "../../core/errors.ts";
import type { NextRootReason } from "../../link/next-root.ts";
import { readDraft } from "../../link/root-draft.ts";
import { rootKeysOf, type Root } from "../../link/root.ts";

const anotherCopy = "take another copy of the draft";

/** What helps where a file is not the next root. More signatures help only where too few have signed. */
export function adviseRefused(bytes: Buffer, reason: NextRootReason, have: Root): string {
  const next = have.version + 1;
  if (reason === "lower") return `a root that old is of no use any more: mesh keys rotate writes root ${next}`;
  if (reason === "gap") return `publish root ${next} first`;
  if (reason === "mesh") return "is --state the one of the mesh that it is for?";
  if (reason === "threshold-before") return "mesh keys root sign adds signatures";
  const signedBy = readSigners(bytes, have);
  if (signedBy === null) return `the file is damaged, or no root: ${anotherCopy}`;
  // A draft begins with no signature at all, and one of which a bit was changed has none that is good.
  if (reason === "envelope" || signedBy > 0) return "mesh keys root sign adds signatures";
  return `its signatures are not of what it says, so it was changed: ${anotherCopy}`;
}

/** How many good signatures of root keys it has; null: it is no draft. */
function readSigners(bytes: Buffer, have: Root): number | null {
  try {
    return readDraft(bytes, rootKeysOf(have)).signedBy.length;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // absence is the answer: whether it can be read as a draft is the question
    return null;
  }
}
