import fc from "fast-check";

/** Values that break readers: wrong types, odd numbers, names of prototypes, depth, half characters, control characters. */
const odd = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(
      null,
      "",
      -1,
      0.5,
      2 ** 53,
      -0,
      1e308,
      "\u0000",
      "\ud800",
      "\u001b[2J",
      "../../etc/passwd",
      "a'; drop table mesh; --",
      "x".repeat(5_000),
      [],
      {},
      [[[[[[[[]]]]]]]],
      { constructor: { prototype: 1 } },
    ),
  },
);

/** One change in one place of a JSON value: another value there, a member more, a member less. */
export function mutated(value: unknown): fc.Arbitrary<unknown> {
  const paths = pathsOf(value);
  return fc
    .record({
      path: fc.constantFrom(...paths),
      how: fc.constantFrom("replace", "add", "remove"),
      key: fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom("constructor", "toString", "length", "schema")),
      odd,
    })
    .map(({ path, how, key, odd: other }) => change(value, path, (at) => edit(at, how, key, other)));
}

type Path = readonly (string | number)[];

function pathsOf(value: unknown, here: Path = []): Path[] {
  if (Array.isArray(value)) return [here, ...value.flatMap((one, index) => pathsOf(one, [...here, index]))];
  if (value === null || typeof value !== "object") return [here];
  return [here, ...Object.entries(value).flatMap(([key, one]) => pathsOf(one, [...here, key]))];
}

function change(value: unknown, path: Path, by: (at: unknown) => unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return by(value);
  if (Array.isArray(value)) return value.map((one: unknown, index) => (index === first ? change(one, rest, by) : one));
  return Object.fromEntries(
    Object.entries(value as object).map(([key, one]) => [key, key === first ? change(one, rest, by) : one]),
  );
}

function edit(at: unknown, how: string, key: string, other: unknown): unknown {
  if (how === "replace" || at === null || typeof at !== "object") return other;
  if (Array.isArray(at)) return how === "add" ? [...(at as unknown[]), other] : at.slice(1);
  if (how === "add") return { ...at, [key]: other };
  return Object.fromEntries(Object.entries(at).slice(1));
}

/** Bytes that are like the given ones: a bit turned, a piece cut out, doubled, or put in. */
export function damaged(bytes: Uint8Array): fc.Arbitrary<Buffer> {
  const at = fc.nat(Math.max(0, bytes.length - 1));
  return fc
    .record({
      at,
      length: fc.integer({ min: 1, max: 64 }),
      bit: fc.nat(7),
      piece: fc.uint8Array({ minLength: 1, maxLength: 64 }),
      how: fc.constantFrom("turn", "cut", "double", "insert", "end", "random"),
    })
    .map(({ at: from, length, bit, piece, how }) => {
      const whole = Buffer.from(bytes);
      const [before, after] = [whole.subarray(0, from), whole.subarray(from)];
      if (how === "turn")
        return Buffer.concat([before, Buffer.from([(after[0] ?? 0) ^ (1 << bit)]), after.subarray(1)]);
      if (how === "cut") return Buffer.concat([before, after.subarray(length)]);
      if (how === "double") return Buffer.concat([before, after.subarray(0, length), after]);
      if (how === "insert") return Buffer.concat([before, Buffer.from(piece), after]);
      return how === "end" ? Buffer.from(before) : Buffer.from(piece);
    });
}
