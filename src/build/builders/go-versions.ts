/** `1.22`, `1.22.3`, `1.23rc1` in Go's order. */
export function compareGoLines(a: string, b: string): number {
  const parts = (text: string): number[] => {
    const [, major, minor, patch, kind, number] = /^(\d+)\.(\d+)(?:\.(\d+))?(?:(rc|beta)(\d+))?$/.exec(text) ?? [];
    const before = kind === "beta" ? -2 : kind === "rc" ? -1 : 0;
    return [Number(major), Number(minor), before, Number(number ?? 0), Number(patch ?? 0)];
  };
  const [left, right] = [parts(a), parts(b)];
  const at = left.findIndex((value, index) => value !== right[index]);
  return at === -1 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}
