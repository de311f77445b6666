import type { FileImports, ImportReader, ModuleText, PublishedNames, SourceText } from "./import-reader.ts";
import { type AstLimits, readByInterpreter } from "./python-ast.ts";
import { pyprojectFile, readPyproject } from "./python-facts.ts";
import { readByGrammar } from "./python-grammar.ts";
import { findPython, type PythonInterpreter } from "./python-interpreter.ts";
import { pythonLockFiles, readPythonLockEntries } from "./python-lock.ts";
import { describeRawImports, type RawImports } from "./python-raw-imports.ts";
import { isPythonSource, isPythonTest, readPythonLayout } from "./python-source.ts";
import { pythonStandardNames } from "./python-standard-names.ts";
import { readInHalves } from "./read-in-halves.ts";
import { createPythonResolver, distributionKey } from "./resolve-python.ts";

/** Raised by hand when the reader finds something else in the same bytes. */
const readerVersion = 2;

export interface CreatePythonReader {
  /** Null: read by the grammar. What is left out is looked for on the PATH. */
  readonly interpreter?: PythonInterpreter | null;
  readonly limits?: AstLimits;
}

/** Python, read by the interpreter's own parser where there is one, else by a grammar; both give the same shape. */
export function createPythonReader(options: CreatePythonReader = {}): ImportReader {
  const interpreter = (): PythonInterpreter | null =>
    options.interpreter === undefined ? findPython() : options.interpreter;
  return {
    language: "python",
    factFiles: [pyprojectFile, ...pythonLockFiles],
    isSource: isPythonSource,
    isTest: isPythonTest,
    readerKey: () => {
      const found = interpreter();
      return `python/${readerVersion}/${found === null ? "grammar" : `ast-${found.minor}`}`;
    },
    readImports: (files) => readImports(files, interpreter(), options.limits),
    publishNames,
    lockFiles: pythonLockFiles,
    readLock: readPythonLockEntries,
    createResolver: createPythonResolver,
  };
}

async function readImports(
  files: readonly SourceText[],
  interpreter: PythonInterpreter | null,
  limits: AstLimits | undefined,
): Promise<readonly FileImports[]> {
  if (interpreter === null) return (await readAllByGrammar(files)).map(describeRawImports);
  return readInHalves<SourceText, FileImports>(files, {
    read: async (some) => {
      const reading = await readByInterpreter(interpreter, some, limits);
      return reading.kind === "read" ? { kind: "read", files: reading.files.map(describeRawImports) } : reading;
    },
    otherwise: async (some, why) => {
      const message = `read by the grammar, because Python ${interpreter.version} did not read it: ${why}`;
      return (await readAllByGrammar(some)).map((raw) => {
        const { imports, findings } = describeRawImports(raw);
        return { imports, findings: [{ severity: "warning", line: 0, message }, ...findings], isMakeshift: true };
      });
    },
  });
}

async function readAllByGrammar(files: readonly SourceText[]): Promise<RawImports[]> {
  const read: RawImports[] = [];
  for (const { text } of files) read.push(await readByGrammar(text));
  return read;
}

/** Top-level packages, and the distribution: two modules that share either could not be installed together. */
function publishNames({ facts, files }: ModuleText): PublishedNames {
  const reading = readPyproject(facts.get(pyprojectFile));
  if (reading.kind === "refused") return { names: [], findings: [reading.finding] };
  const project = reading.kind === "project" ? (reading.value.project?.name ?? null) : null;
  const { names } = readPythonLayout(files, project);
  const findings = names
    .filter((name) => pythonStandardNames.has(name))
    .map((name) => ({
      severity: "warning" as const,
      file: pyprojectFile,
      line: 0,
      message: `publishes ${name}, which is Python's own name: nobody can import it`,
    }));
  return { names: [...names, ...(project === null ? [] : [distributionKey(project)])], findings };
}
