import { z } from "zod";
import { type BuildJob, type BuildOutcome, judgeEnvironment, unfit } from "./builder.ts";
import { firstLines, type GoRun, runGo } from "./go-sandbox.ts";
import { judgeGoVersion } from "./go-third-parties.ts";

const names = z.array(z.string()).optional();

const packageSchema = z.object({
  ImportPath: z.string(),
  Name: z.string().optional(),
  Dir: z.string().optional(),
  Standard: z.boolean().optional(),
  DepOnly: z.boolean().optional(),
  ForTest: z.string().optional(),
  /** Why Go could not load it whole. */
  Error: z.object({ Err: z.string().optional() }).optional(),
  GoFiles: names,
  SFiles: names,
  HFiles: names,
  SysoFiles: names,
  EmbedFiles: names,
  TestGoFiles: names,
  XTestGoFiles: names,
});
export type GoPackage = z.infer<typeof packageSchema>;

export interface GoPackages {
  readonly kind: "packages";
  /** Of the module itself. */
  readonly own: readonly GoPackage[];
  /** Of the standard library, whatever needs them. */
  readonly standard: readonly string[];
  readonly hasTests: boolean;
}

/** The packages that the build has on this platform, by Go itself. Faults in them are left for the compiler to say. */
export async function listGoPackages(
  job: BuildJob,
  run: Omit<GoRun, "step" | "arguments">,
): Promise<GoPackages | BuildOutcome> {
  const fields = Object.keys(packageSchema.shape).join(",");
  const words = ["list", "-e", "-deps", "-test", `-json=${fields}`, "./..."];
  const result = await runGo(job, { ...run, step: "compile", arguments: words, stdout: "answer" });
  const environment = judgeEnvironment("listing packages", result);
  if (environment !== null) return environment;
  if (result.kind !== "exited") throw new Error("only what exited has a code");
  if (result.code !== 0) {
    job.log(result.log);
    return judgeGoVersion(result.log) ?? unfit("compile", firstLines(result.log, 20));
  }
  const listed = parseDocuments(result.stdout);
  if (listed === null) return unfit("compile", "it has so many packages that their list is longer than 4 MiB");
  const paths = new Set(listed.map((one) => one.ImportPath));
  // `a/b.test` is the program that tests `a/b`, where there is one: a module may be called so itself.
  const isTestProgram = (path: string): boolean => path.endsWith(".test") && paths.has(path.slice(0, -".test".length));
  const plain = listed.filter((one) => one.ForTest === undefined && !isTestProgram(one.ImportPath));
  const own = plain.filter((one) => one.DepOnly !== true && one.Standard !== true);
  return {
    kind: "packages",
    own,
    standard: plain.filter((one) => one.Standard === true).map((one) => one.ImportPath),
    hasTests: own.some((one) => (one.TestGoFiles ?? []).length + (one.XTestGoFiles ?? []).length > 0),
  };
}

/** One document after the other, as Go prints them; null where the end is missing. */
function parseDocuments(text: string): GoPackage[] | null {
  if (text.trim() === "") return [];
  if (!text.trimEnd().endsWith("\n}") && !text.trimEnd().endsWith("{}")) return null;
  return z.array(packageSchema).parse(JSON.parse(`[${text.trimEnd().replaceAll("\n}\n{", "\n},\n{")}]`));
}

/** Can another module import it? */
export function isImportable(one: GoPackage): boolean {
  return one.Name !== "main" && !`/${one.ImportPath}/`.includes("/internal/") && (one.GoFiles ?? []).length > 0;
}
