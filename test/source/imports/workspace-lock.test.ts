import { describe, expect, it } from "vitest";
import { readMemberLock } from "../../../src/source/imports/workspace-lock.ts";

type Entry = Readonly<Record<string, unknown>>;

const entry = (version: string, more: Entry = {}): Entry => ({ version, integrity: `sha512-${version}`, ...more });

/** As npm writes it for two members: what they share lies at the top, what differs in the member's own folder. */
const workspace: Readonly<Record<string, Entry>> = {
  "": { workspaces: ["modules/*"] },
  "modules/x": { name: "@acme/x" },
  "modules/x/node_modules/debug": entry("2.6.9", { dependencies: { ms: "2.0.0" } }),
  "modules/x/node_modules/ms": entry("2.0.0"),
  "modules/y": { name: "@acme/y" },
  "node_modules/@acme/y": { resolved: "modules/y", link: true },
  "node_modules/debug": entry("4.3.4", { dependencies: { ms: "2.1.2" } }),
  "node_modules/fsevents": entry("2.3.3", { optional: true, dependencies: { deep: "1" } }),
  "node_modules/deep": entry("1.0.0", { optional: true }),
  "node_modules/ms": entry("2.1.2"),
  "node_modules/send": entry("0.18.0", { dependencies: { debug: "2.6.9", ms: "2.1.3" } }),
  "node_modules/send/node_modules/debug": entry("2.6.9", { dependencies: { ms: "2.0.0" } }),
  "node_modules/send/node_modules/debug/node_modules/ms": entry("2.0.0"),
  "node_modules/send/node_modules/ms": entry("2.1.3"),
};

function lay(member: string, own: Entry, packages: Readonly<Record<string, Entry>> = workspace): readonly string[] {
  const text = JSON.stringify({ lockfileVersion: 3, packages });
  const lock = readMemberLock(text, member, new Map([["package.json", JSON.stringify(own)]]));
  if (lock.kind !== "lock") throw new Error(JSON.stringify(lock));
  const read = JSON.parse(lock.text) as { packages: Record<string, { version?: string; dev?: true; optional?: true }> };
  return Object.entries(read.packages).flatMap(([path, { version, dev, optional }]) =>
    path === "" ? [] : [`${path} ${version ?? "link"}${dev ? " dev" : ""}${optional ? " optional" : ""}`],
  );
}

describe("a workspace's lock file, for one of its members (R8)", () => {
  it("has what the member finds from its own folder, at the top", () => {
    expect(lay("modules/x", { dependencies: { debug: "2" } })).toEqual([
      "node_modules/debug 2.6.9",
      "node_modules/ms 2.0.0",
    ]);
    expect(lay("modules/y", { dependencies: { debug: "4" } })).toEqual([
      "node_modules/debug 4.3.4",
      "node_modules/ms 2.1.2",
    ]);
  });

  it("has another version below who needs it, where the member has its own of that name", () => {
    expect(lay("modules/x", { dependencies: { debug: "2", send: "0" } })).toEqual([
      "node_modules/debug 2.6.9",
      "node_modules/ms 2.0.0",
      "node_modules/send 0.18.0",
      "node_modules/send/node_modules/debug 2.6.9",
      "node_modules/send/node_modules/debug/node_modules/ms 2.0.0",
      "node_modules/send/node_modules/ms 2.1.3",
    ]);
  });

  it("marks what is for development or may be left out by this member alone", () => {
    const own = { devDependencies: { debug: "4" }, optionalDependencies: { fsevents: "2" } };
    expect(lay("modules/y", own)).toEqual([
      "node_modules/debug 4.3.4 dev",
      "node_modules/deep 1.0.0 optional",
      "node_modules/fsevents 2.3.3 optional",
      "node_modules/ms 2.1.2 dev",
    ]);
  });

  it("does not follow a link to another member, whose packages are its own matter", () => {
    const link = { resolved: "modules/y", link: true, dependencies: { ms: "2" } };
    const packages = { ...workspace, "node_modules/@acme/y": link };
    expect(lay("modules/x", { dependencies: { "@acme/y": "*" } }, packages)).toEqual(["node_modules/@acme/y link"]);
  });

  it("has what `overrides` of the workspace's root changed at the versions that are locked, which no range may undo", () => {
    const packages: Readonly<Record<string, Entry>> = {
      "modules/x": {
        dependencies: { debug: "4.3.4", odd: "^2.0.0", old: "^1.0.0", "@acme/y": "*" },
        devDependencies: { tap: "1" },
      },
      "node_modules/@acme/y": { resolved: "modules/y", link: true },
      "node_modules/debug": entry("4.3.4", {
        dependencies: { ms: "2.1.2", gone: "1" },
        peerDependencies: { odd: "2" },
      }),
      "node_modules/ms": entry("2.0.0"),
      "node_modules/odd": entry("3.0.0", { name: "is-odd" }),
      "node_modules/old": entry("1.0.0"),
      "node_modules/tap": entry("1.2.3"),
    };
    const own = {
      // `old` was asked for otherwise when the lock file was written: npm is to say that.
      dependencies: { debug: "4.3.4", odd: "^2.0.0", old: "^2.0.0", "@acme/y": "*" },
      devDependencies: { tap: "1" },
    };
    const text = JSON.stringify({ lockfileVersion: 3, packages });
    const lock = readMemberLock(text, "modules/x", new Map([["package.json", JSON.stringify(own)]]));
    if (lock.kind !== "lock") throw new Error(JSON.stringify(lock));
    const read = JSON.parse(lock.text) as { packages: Record<string, Entry> };
    expect(read.packages[""]).toEqual({ pins: { debug: "4.3.4", odd: "npm:is-odd@3.0.0", tap: "1.2.3" } });
    expect(read.packages["node_modules/debug"]).toMatchObject({
      dependencies: { ms: "2.0.0", gone: "1" },
      peerDependencies: { odd: "npm:is-odd@3.0.0" },
    });
  });

  it("is not about a folder that it does not list", () => {
    const text = JSON.stringify({ lockfileVersion: 3, packages: workspace });
    expect(readMemberLock(text, "modules/z", new Map())).toEqual({ kind: "not-a-member" });
  });

  it("is refused with the limit named where laying it out alone repeats packages without end", () => {
    const many = Array.from({ length: 180 }, (_, at) => `${at}`);
    const needsOf = (kind: string): Record<string, string> =>
      Object.fromEntries(many.map((at) => [`${kind}${at}`, "1"]));
    const packages: Record<string, Entry> = {
      "modules/x": {},
      "modules/x/node_modules/shared": entry("2"),
      "node_modules/shared": entry("1", { dependencies: needsOf("small") }),
    };
    for (const at of many) {
      packages[`node_modules/user${at}`] = entry("1", { dependencies: { shared: "1" } });
      packages[`node_modules/small${at}`] = entry("1");
      packages[`modules/x/node_modules/small${at}`] = entry("2");
    }
    const text = JSON.stringify({ lockfileVersion: 3, packages });
    const own = JSON.stringify({ dependencies: { shared: "2", ...needsOf("user"), ...needsOf("small") } });
    expect(readMemberLock(text, "modules/x", new Map([["package.json", own]]))).toMatchObject({
      kind: "refused",
      finding: { message: "what modules/x needs of it is more than 30000 packages when it is laid out alone" },
    });
  });
});
