import { type Judged, outstanding } from "./builder.ts";

/** As cargo says it, by its version. The first group is what is told. */
const refusals = [
  /^error: rustc \S+ is not supported by the following packages?:\n {2}(\S+ requires rustc \S+)$/m,
  /^error: (package `[^`\n]+` cannot be built because it requires rustc \S+ or newer, while .*)$/m,
  /^Caused by:\n {2}(this version of Cargo is older than the `\d+` edition\b.*)$/m,
  /^Caused by:\n {2}(feature `edition\d+` is required)$/m,
];
/** Of a refusal: it comes before anything is compiled. Of more than this the log may have the end alone. */
const charactersLimit = 16 * 1024;

/**
 * A newer Rust than this machine's is nobody's mistake; null where that is not what is said. Only as cargo says it before
 * it compiles anything: from then on macros and build scripts may print whatever they like.
 */
export function judgeRustVersion(log: string): Judged | null {
  if (log.length > charactersLimit) return null;
  for (const refusal of refusals) {
    const found = refusal.exec(log);
    if (found?.[1] === undefined || /^ *(Compiling|Checking|Running) /m.test(log.slice(0, found.index))) continue;
    const said = found[1].replace(/\.$/, "");
    return outstanding("toolchain", `${said}: install a newer Rust on the machine that builds (rustup update)`);
  }
  return null;
}
