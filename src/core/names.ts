import { z } from "zod";

/** Device names that some file systems keep for themselves; a name may become a folder. */
const reservedNames = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

export const namePattern = /^[a-z][a-z0-9-]{0,62}$/;

/** The one pattern for names of meshes, nodes, modules, repositories and requirements (R1). */
export const nameSchema = z
  .string()
  .max(63, "a name has at most 63 characters")
  .regex(namePattern, "a name is lower case letters, digits and hyphens, and starts with a letter")
  .refine((name) => !reservedNames.test(name), "this name is reserved by operating systems");

export type Name = z.infer<typeof nameSchema>;

/** `sha256:` and 64 lower-case hex digits. */
export const digestSchema = z.string().regex(/^sha256:[0-9a-f]{64}$/, "a digest is sha256:<64 hex digits>");
export type Digest = z.infer<typeof digestSchema>;

/** A full git object id (SHA-1 or SHA-256 repositories). */
export const objectIdSchema = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, "an object id is 40 or 64 hex digits");
export type ObjectId = z.infer<typeof objectIdSchema>;

/** A branch, always used as `refs/heads/<branch>`. Valid names can still look like options: argv only. */
export const branchSchema = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._/-]*$/, "a branch is letters, digits, dot, underscore, slash and hyphen")
  .refine((branch) => !/\.\.|\/\/|\/\.|\.lock(\/|$)|\/$|\.$/.test(branch), "not a valid git branch name");

/** A folder inside a repository: `.` or relative segments, no `..`, no leading slash. */
export const treePathSchema = z
  .string()
  .max(500)
  .regex(
    /^(\.|[A-Za-z0-9_@][A-Za-z0-9._@-]*(\/[A-Za-z0-9_@][A-Za-z0-9._@-]*)*)$/,
    "a path is relative, without .. or empty segments",
  );

/** ISO 8601 in UTC, as `Date#toISOString` prints it. */
export const timestampSchema = z.iso.datetime();
