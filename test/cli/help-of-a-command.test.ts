import { describe, expect, it } from "vitest";
import { runMesh } from "./fake-context.ts";

describe("mesh help WORDS (R48)", () => {
  it.each([
    [["help", "stauts"], "mesh: unknown command 'stauts' (did you mean: mesh status?)\n"],
    [["help", "node", "ad"], "mesh: unknown command 'node ad' (did you mean: mesh node add?)\n"],
  ])("%j names the word that is wrong", async (argv, message) => {
    const ran = await runMesh(argv);
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).toMatch(/\n {2}next: see how it is used: mesh (node )?--help\n$/);
    expect(ran.code).toBe(2);
  });

  it.each([
    [["help"], "Usage: mesh [options] [command]"],
    [["help", "node"], "Usage: mesh node [options] [command]"],
    [["help", "node", "add"], "Usage: mesh node add [options] <name>"],
    [["help", "status"], "Usage: mesh status [options] [subject]"],
  ])("%j says how it is used", async (argv, usage) => {
    const ran = await runMesh(argv);
    expect(ran.stdout).toContain(usage);
    expect(ran.code).toBe(0);
  });
});
