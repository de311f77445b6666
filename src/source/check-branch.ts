import { InputError } from "../core/errors.ts";
import { branchSchema } from "../core/names.ts";
import { sayIssue } from "../core/say-issue.ts";

/** A branch's name as it is used in a ref. InputError for one that git could take for something else (case 52). */
export function checkBranch(branch: string): string {
  const parsed = branchSchema.safeParse(branch);
  if (!parsed.success)
    throw new InputError(
      `not a branch that can be followed: ${JSON.stringify(branch.slice(0, 100))}`,
      sayIssue(parsed.error.issues[0]),
    );
  return parsed.data;
}
