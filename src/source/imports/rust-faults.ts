import type { Finding } from "../finding.ts";

/** Files that would steer cargo: the build does not have them, and says so. */
export function findRustFaults(files: readonly string[]): Finding[] {
  return files.flatMap((file): Finding[] => {
    if (/^\.cargo\/config(\.toml)?$/.test(file))
      return [warn(file, "is not used: it can name programs that cargo runs, and other sources of crates")];
    if (/^rust-toolchain(\.toml)?$/.test(file))
      return [
        warn(file, "is not used: the mesh builds with the toolchain of the machine, which is part of the closure"),
      ];
    return [];
  });
}

function warn(file: string, message: string): Finding {
  return { severity: "warning", file, line: 0, message };
}
