import { describe, expect, it } from "vitest";
import { listRaised, mergeLocks } from "../../../src/build/builders/rust-lock-file.ts";
import { lockEntry } from "../../support/crate-registry.ts";

const checksum = (letter: string): string => letter.repeat(64);
const [low, high] = [lockEntry("serde", "1.0.100", checksum("a")), lockEntry("serde", "1.0.200", checksum("b"))];
const uses = (name: string, version: string, dependency: string): string =>
  lockEntry(name, version, checksum("c"), [dependency]);
const app = '\n[[package]]\nname = "app"\nversion = "1.0.0"\ndependencies = ["serde"]\n';
const merge = (own: string | null, ...others: string[]) => {
  const lock = mergeLocks(
    own === null ? null : `version = 4\n${own}`,
    others.map((one) => `version = 3\n${one}`),
    "app",
  );
  if (lock.kind === "refused") throw new Error(lock.message);
  return lock;
};

const named = ({ crates }: ReturnType<typeof merge>): string[] =>
  crates.map(({ name, version }) => `${name} ${version}`).toSorted();

describe("two versions of one range, of which a build takes one (R5)", () => {
  it("are both there, and the module's own lock names its own", () => {
    const lock = merge(`${low}${app}`, `${high}${uses("json", "2.0.0", "serde")}`);
    expect(named(lock)).toEqual(["json 2.0.0", "serde 1.0.100", "serde 1.0.200"]);
    expect(lock.text).not.toContain('"1.0.200"');
    expect(lock.text).toContain('dependencies = ["serde 1.0.100"]');
  });

  it("are the highest of all that it is built against, whatever comes first", () => {
    const middle = lockEntry("serde", "1.0.150", checksum("d"));
    for (const others of [
      [low, middle, high],
      [high, low, middle],
    ]) {
      expect(named(merge(null, ...others))).toContain("serde 1.0.200");
      expect(named(merge(`${low}${app}`, ...others))).toEqual(["serde 1.0.100", "serde 1.0.200"]);
    }
  });

  it("are not both there where the own one is the higher; those of two ranges are", () => {
    expect(named(merge(`${high}${app}`, low))).toEqual(["serde 1.0.200"]);
    const next = lockEntry("serde", "2.0.0", checksum("e"));
    expect(named(merge(`${low}${app}`, next))).toEqual(["serde 1.0.100", "serde 2.0.0"]);
  });

  it("are refused where one version has two digests", () => {
    const other = lockEntry("serde", "1.0.200", checksum("f"));
    expect(() => merge(`${low}${app}`, high, other)).toThrow(/serde 1\.0\.200 has one digest here and another/);
  });

  it("are said where cargo took another one than was locked", () => {
    const json = uses("json", "2.0.0", "serde");
    expect(listRaised(`${low}${json}${app}`, `${high}${json}${app}`)).toEqual(["serde 1.0.100, and 1.0.200 was taken"]);
    expect(listRaised(`${low}${json}${app}`, `${low}${lockEntry("serde", "2.0.0", checksum("e"))}${app}`)).toEqual([]);
  });
});
