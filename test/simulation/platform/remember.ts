/** A function of a value that is never changed, worked out once for each: by identity. */
export function remember<T extends object, R>(workOut: (value: T) => R): (value: T) => R {
  const known = new WeakMap<T, { readonly result: R }>();
  return (value) => {
    const kept = known.get(value);
    if (kept !== undefined) return kept.result;
    const result = workOut(value);
    known.set(value, { result });
    return result;
  };
}
