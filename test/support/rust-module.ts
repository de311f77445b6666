/** The files of a small Rust crate `<module>`, which is quick to compile; more, or others, on top. */
export function rustModule(module: string, files: Record<string, string>, dependencies = ""): Record<string, string> {
  const all: Record<string, string> = {
    "mesh.yaml": `module: ${module}\nlanguage: rust\n`,
    "Cargo.toml": `[package]\nname = "${module}"\nversion = "1.2.3"\nedition = "2021"\n\n[profile.release]\nopt-level = 0\n\n${dependencies}`,
    ...files,
  };
  return Object.fromEntries(Object.entries(all).map(([path, text]) => [`${module}/${path}`, text]));
}
