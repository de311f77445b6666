/** The files of a small Go module that publishes `mesh.test/<module>`; more, or others, on top. */
export function goModule(module: string, files: Record<string, string>): Record<string, string> {
  const all: Record<string, string> = {
    "mesh.yaml": `module: ${module}\nlanguage: go\n`,
    "go.mod": `module mesh.test/${module}\n\ngo 1.22\n`,
    ...files,
  };
  return Object.fromEntries(Object.entries(all).map(([path, text]) => [`${module}/${path}`, text]));
}
