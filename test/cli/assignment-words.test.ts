import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { listMissingValues } from "../../src/cli/find-missing-values.ts";
import { assignCommandLine, configWords } from "../../src/cli/text/assignment-words.ts";
import { fillFields } from "../../src/decide/fill-fields.ts";
import { buildArtifact, buildManifest } from "../decide/support/build-world.ts";

const assignment = { node: "node-a", module: "meshboard", config: { port: "8080" }, providers: {} };

/** The words that a shell makes of a line. */
function wordsOf(line: string): string[] {
  const { stdout } = spawnSync("bash", ["-c", `printf '%s\\0' ${line}`], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" },
  });
  return stdout.split("\0").slice(0, -1);
}

describe("an assignment as the command that makes it", () => {
  it("has its whole configuration and the providers chosen", () => {
    expect(assignCommandLine({ ...assignment, providers: { database: "postgres@node-b" } })).toBe(
      "mesh assign node-a meshboard --set port=8080 --provider database=postgres@node-b",
    );
    expect(configWords({ ...assignment, providers: { database: "postgres@node-b" } })).toBe(
      "port=8080, database from postgres@node-b",
    );
  });

  it.each([
    "two words",
    "it's",
    "$(date)",
    "`date`",
    "a;b",
    "*",
    "",
    "line\nline",
    "\u001b[2J",
    "back\\slash",
    "a'\n\\",
    "ü",
  ])("a shell takes the value %j as it is", (value) => {
    const line = assignCommandLine({ ...assignment, config: { title: value } });
    expect(line).not.toContain("\n");
    expect(line).not.toContain("\u001b");
    expect(wordsOf(line).at(-1)).toBe(`title=${value}`);
  });
});

describe("a key without a value", () => {
  it("is read out of the sentence that decide says about it", () => {
    const manifest = buildManifest("meshboard");
    const { artifact } = buildArtifact("meshboard", 1, manifest);
    const chosen = { module: "meshboard", assignment: { ...assignment, config: {} }, artifact, manifest, config: {} };
    const { problems } = fillFields(chosen, "10.0.0.7", "service.env", { PORT: "${config.port}" });
    expect(listMissingValues(["no provider", ...problems.map((one) => one.why)])).toEqual([
      { node: "node-a", module: "meshboard", key: "port" },
    ]);
  });
});
