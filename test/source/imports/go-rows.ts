/** One situation of a Go file, held against both readers. */
export interface GoRow {
  readonly situation: string;
  readonly text: string;
  /** `specifier kind line`, in order. */
  readonly imports: readonly string[];
  /** `severity line`, in order. */
  readonly findings?: readonly string[];
}

const quote = "`";

export const goRows: readonly GoRow[] = [
  { situation: "a single import", text: `package x\n\nimport "a.b/c"\n`, imports: ["a.b/c static 3"] },
  { situation: "an import with a name", text: `package x\nimport d "a.b/c"\n`, imports: ["a.b/c static 2"] },
  { situation: "a blank import", text: `package x\nimport _ "a.b/c"\n`, imports: ["a.b/c side-effect 2"] },
  { situation: "a dot import", text: `package x\nimport . "a.b/c"\n`, imports: ["a.b/c static 2"] },
  {
    situation: "a group, with names, comments and blank lines",
    text: `package x\nimport (\n\t"a.b/c"\n\n\t// "no"\n\t_ "a.b/d" /* "no" */\n\te "a.b/e"; . "a.b/f"\n)\nimport ()\n`,
    imports: ["a.b/c static 3", "a.b/d side-effect 6", "a.b/e static 7", "a.b/f static 7"],
  },
  {
    situation: "a raw string as a path",
    text: `package x\nimport ${quote}a.b/c${quote}\n`,
    imports: ["a.b/c static 2"],
  },
  { situation: "a path with an escape", text: `package x\nimport "a.b/\\x63\\u0064"\n`, imports: ["a.b/cd static 2"] },
  {
    situation: "two imports on one line",
    text: `package x; import "a.b/c"; import "a.b/d"`,
    imports: ["a.b/c static 1", "a.b/d static 1"],
  },
  { situation: "an external test package", text: `package x_test\nimport "a.b/c"\n`, imports: ["a.b/c static 2"] },
  {
    situation: "import C with its preamble",
    text: `package x\n\n/*\n#include "a.b/c"\n*/\nimport "C"\n`,
    imports: ["C static 6"],
  },
  {
    situation: "Windows line ends and a byte order mark",
    text: `\uFEFFpackage x\r\nimport "a.b/c"\r\n`,
    imports: ["a.b/c static 2"],
  },
  {
    situation: "text in comments and strings",
    text: `// import "a.b/c"\npackage x\n/* import "a.b/c" */\nvar a = "import \\"a.b/c\\""\nvar b = ${quote}\nimport "a.b/c"\n${quote}\n`,
    imports: [],
  },
  { situation: "go:generate", text: `package x\n//go:generate go run a.b/c\nimport "os"\n`, imports: ["os static 3"] },
  { situation: "no imports, code behind", text: `package x\nfunc f() {}\n`, imports: [] },
  {
    situation: "code behind that does not compile",
    text: `package x\nimport "a.b/c"\nfunc {{{\n`,
    imports: ["a.b/c static 2"],
  },
  {
    situation: "a line directive above",
    text: `package x\n//line other.go:100\nimport "a.b/c"\n`,
    imports: ["a.b/c static 3"],
  },

  {
    situation: "another operating system",
    text: `//go:build windows\n\npackage x\nimport "a.b/c"\n`,
    imports: ["a.b/c static 4"],
  },
  {
    situation: "not this operating system",
    text: `//go:build !linux && (arm64 || s390x)\n\npackage x\nimport "a.b/c"\n`,
    imports: ["a.b/c static 4"],
  },
  {
    situation: "a tag and its opposite",
    text: `//go:build a && !a\n\npackage x\nimport "a.b/c"\n`,
    imports: ["a.b/c static 4"],
  },
  { situation: "no build at all: ignore", text: `//go:build ignore\n\npackage main\nimport "a.b/c"\n`, imports: [] },
  {
    situation: "ignore, behind a licence",
    text: `// Copyright\n\n//go:build ignore || (ignore && linux)\n\npackage main\nimport "a.b/c"\n`,
    imports: [],
  },
  { situation: "not ignore", text: `//go:build !ignore\n\npackage x\nimport "a.b/c"\n`, imports: ["a.b/c static 4"] },
  {
    situation: "ignore or another",
    text: `//go:build ignore || linux\n\npackage x\nimport "a.b/c"\n`,
    imports: ["a.b/c static 4"],
  },
  {
    situation: "ignore in a block comment",
    text: `/*\n//go:build ignore\n*/\npackage x\nimport "a.b/c"\n`,
    imports: ["a.b/c static 5"],
  },
  {
    situation: "ignore behind the package clause",
    text: `package x\n//go:build ignore\nimport "a.b/c"\n`,
    imports: ["a.b/c static 3"],
  },
  {
    situation: "a constraint that cannot be read",
    text: `//go:build ignore &&\n\npackage x\nimport "a.b/c"\n`,
    imports: ["a.b/c static 4"],
  },
  {
    situation: "only almost a constraint",
    text: `// go:build ignore\n//go:builder ignore\n\npackage x\nimport "a.b/c"\n`,
    imports: ["a.b/c static 5"],
  },

  {
    situation: "files embedded from below",
    text: `package x\nimport _ "embed"\n//go:embed a.txt all:b/* "c d"\nvar s string\n`,
    imports: ["embed side-effect 2"],
  },
  {
    situation: "files embedded from elsewhere",
    text: `package x\nimport "embed"\n\n//go:embed a ../b\nvar s embed.FS\n//go:embed /etc/passwd\nvar t embed.FS\n`,
    imports: ["embed static 2"],
    findings: ["error 4", "error 6"],
  },
  {
    situation: "go:embed in a string",
    text: `package x\nimport "embed"\nvar s = ${quote}\n//go:embed ../b\n${quote}\nvar t embed.FS\n`,
    imports: ["embed static 2"],
  },
  { situation: "go:embed without embed", text: `package x\n//go:embed ../b\nvar s string\n`, imports: [] },

  { situation: "no package clause", text: `import "a.b/c"\n`, imports: [], findings: ["error 1"] },
  { situation: "an empty file", text: ``, imports: [], findings: ["error 1"] },
  {
    situation: "an import without a path",
    text: `package x\nimport (\n\t"a.b/c"\n\tfoo\n)\n`,
    imports: ["a.b/c static 3"],
    findings: ["error 4"],
  },
  { situation: "an empty path", text: `package x\nimport ""\n`, imports: [], findings: ["error 2"] },
  {
    situation: "a path that no package can have",
    text: `package x\nimport "a b"\nimport "a.b/c\\u0000"\nimport "x!y"\n`,
    imports: [],
    findings: ["error 2", "error 3", "error 4"],
  },
  {
    situation: "a NUL among the imports",
    text: `package x\nimport "a.b/c"\nimport \0 "a.b/d"\n`,
    imports: [],
    findings: ["error 3"],
  },
];
