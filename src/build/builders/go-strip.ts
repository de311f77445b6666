/**
 * Go source without comments, line for line: what others compile against does not move when only words about it do (R10).
 * Directives stay (`//go:…`, `//line`, `//export`, build constraints), and files with C in them stay as they are.
 */
export function stripGoComments(text: string): string {
  if (/^[^\n/]*"C"\s*$/m.test(text)) return text;
  const tokens = /"(?:\\.|[^"\\\n])*"|`[^`]*`|'(?:\\.|[^'\\\n])*'|[ \t]*\/\/[^\n]*|\/\*[^]*?\*\//g;
  return text.replaceAll(tokens, (token) => {
    const bare = token.trimStart();
    if (bare.startsWith("//")) return /^\/\/(go:|line |export |extern | ?\+build)/.test(bare) ? token : "";
    if (!bare.startsWith("/*") || bare.startsWith("/*line ")) return token;
    const lines = token.split("\n").length - 1;
    // A comment with line ends in it is a line end to the compiler, one without is a space.
    return lines === 0 ? " " : "\n".repeat(lines);
  });
}
