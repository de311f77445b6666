import { createTypeScriptReader } from "../../../src/source/imports/typescript.ts";
import { describeReader } from "./support/describe-reader.ts";
import { typescriptSyntax } from "./support/typescript-syntax.ts";

describeReader({
  reader: createTypeScriptReader(),
  entry: "src/source/imports/typescript.ts",
  maker: "createTypeScriptReader",
  situations: typescriptSyntax,
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
    { without: "references", from: "for (const comment of parsed.comments)", to: "for (const comment of [])" },
  ],
});
