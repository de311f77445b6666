import { createTypeScriptReader } from "../../../src/source/imports/typescript.ts";
import { describeReader } from "./support/describe-reader.ts";
import { typescriptOutside } from "./support/typescript-outside.ts";
import { typescriptResolution } from "./support/typescript-resolution.ts";
import { typescriptSyntax } from "./support/typescript-syntax.ts";

const resolver = "src/source/imports/resolve-typescript.ts";

describeReader({
  reader: createTypeScriptReader(),
  entry: "src/source/imports/typescript.ts",
  maker: "createTypeScriptReader",
  situations: [...typescriptSyntax, ...typescriptResolution, ...typescriptOutside],
  mutations: [
    { without: "import declarations", from: "ImportDeclaration: (node) =>", to: "DebuggerStatement: (node) =>" },
    { without: "export … from", from: "ExportNamedDeclaration: (node) =>", to: "DebuggerStatement: (node) =>" },
    { without: "export * from", from: "ExportAllDeclaration: (node) =>", to: "DebuggerStatement: (node) =>" },
    { without: "import()", from: "ImportExpression: (node) =>", to: "DebuggerStatement: (node) =>" },
    { without: "import() in types", from: "TSImportType: (node) =>", to: "DebuggerStatement: (node) =>" },
    {
      without: "import x = require()",
      from: "TSImportEqualsDeclaration: (node) =>",
      to: "DebuggerStatement: (node) =>",
    },
    { without: "require()", from: "CallExpression: (node) =>", to: "DebuggerStatement: (node) =>" },
    { without: "extended types", from: "TSModuleDeclaration: (node) =>", to: "DebuggerStatement: (node) =>" },
    { without: "createRequire()", from: "VariableDeclarator: (node) =>", to: "DebuggerStatement: (node) =>" },
    { without: "JSX runtimes", from: "/@jsxImportSource", to: "/@nothing" },
    { without: "files by URL", from: "const path = literalOfFile(node);", to: "const path = null;" },
    { without: "exports of packages", file: resolver, from: "!isExported(", to: "false && isExported(" },
    { without: "settings", file: resolver, from: "of facts.settings)", to: "of [])" },
    { without: "paths", file: resolver, from: "path?.some(", to: "[].some(" },
    { without: "internal names", file: resolver, from: 'specifier.startsWith("#")', to: "false" },
    { without: "names that Node keeps", file: resolver, from: "isBuiltin(specifier)", to: "false" },
    { without: "code outside src/", file: resolver, from: "if (code === null) return inside;", to: "return inside;" },
    {
      without: "code in folders of data",
      file: resolver,
      from: "if (isData(code))",
      to: "if (isData(code)) return inside;\n  if (false)",
    },
    {
      without: "exports behind its own name",
      file: resolver,
      from: "return found.find(({ finding }) => finding !== null) ?? inside;",
      to: "return inside;",
    },
    {
      without: "owners of paths",
      file: resolver,
      from: "const owner = context.ownerOfPath(target);",
      to: "const owner = null;",
    },
    { without: "its own name", file: resolver, from: "owner === context.module || name === own.name", to: "false" },
    {
      without: "settings that are extended",
      file: "src/source/imports/tsconfig.ts",
      from: "[parsed.value.extends ?? []].flat()",
      to: "[] as string[]",
    },
    {
      without: "settings of other modules",
      file: resolver,
      from: "if (owner === undefined || owner === context.module) return null;\n  const facts",
      to: "if (owner !== null) return null;\n  const facts",
    },
    { without: "references", from: "for (const comment of parsed.comments)", to: "for (const comment of [])" },
  ],
});
