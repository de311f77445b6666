import { expect, it } from "vitest";
import type { Digest } from "../../src/core/names.ts";
import { groupLosses } from "../../src/decide/group-losses.ts";

const digest = (text: string | number): Digest => `sha256:${String(text).padStart(64, "0")}`;

it("names what is lost module by module with who needs it, and what nobody needs any more", () => {
  const needed = [
    { module: "app", artifact: digest(1), sentTo: [] },
    { module: "app", artifact: digest(2), sentTo: ["node-a"] },
    { module: "core", artifact: digest(1), sentTo: ["node-b"] },
  ];
  const losses = [
    { module: "app", artifact: digest(1), found: "x" },
    { module: "app", artifact: digest(2), found: "y" },
    { module: "core", artifact: digest(2), found: "z" },
  ];
  const { byModule, unneeded } = groupLosses(losses, needed);
  expect([...byModule]).toEqual([
    [
      "app",
      [
        { lost: losses[0], use: needed[0] },
        { lost: losses[1], use: needed[1] },
      ],
    ],
  ]);
  expect(unneeded).toEqual([losses[2]]);
});

it("reads each of 10,000 lost artifacts a few times, and not once for each other one (R34)", () => {
  let reads = 0;
  const count = <T extends object>(of: T): T =>
    new Proxy(of, {
      get(target, property, receiver) {
        reads += 1;
        return Reflect.get(target, property, receiver) as unknown;
      },
    });
  const all = Array.from({ length: 10_000 }, (_, at) => count({ module: `m${at % 5_000}`, artifact: digest(at) }));
  const { byModule, unneeded } = groupLosses(all, all);
  expect([byModule.size, unneeded.length]).toEqual([5_000, 0]);
  expect(reads).toBeLessThan(all.length * 8);
});
