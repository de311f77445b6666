import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { runMesh } from "./fake-context.ts";

const hasShell = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

describe("completion (R48)", () => {
  it.each([
    ["bash", "complete "],
    ["zsh", "compdef"],
    ["fish", "complete -c mesh"],
  ])("the %s script has the words of its shell, and calls mesh back", async (shell, mark) => {
    const { stdout, code } = await runMesh(["completion", shell]);
    expect(code).toBe(0);
    expect(stdout).toContain(mark);
    expect(stdout).toContain("mesh complete --");
  });

  it.for(["bash", "zsh", "fish"])("the %s script is one that the shell itself takes", async (shell, { skip }) => {
    if (!hasShell(shell)) skip(`${shell} is not installed`);
    const { stdout } = await runMesh(["completion", shell]);
    const checked = spawnSync(shell, ["-n"], { input: stdout, encoding: "utf8" });
    expect(checked.stderr).toBe("");
    expect(checked.status).toBe(0);
  });

  it("the bash script can be sourced twice in one shell", async () => {
    const { stdout } = await runMesh(["completion", "bash"]);
    const twice = spawnSync("bash", ["-c", 'eval "$0" && eval "$0"', stdout], { encoding: "utf8" });
    expect(twice).toMatchObject({ status: 0, stderr: "" });
  });

  it("is a document under --json, with the same script", async () => {
    const { stdout } = await runMesh(["completion", "bash", "--json"]);
    const plain = (await runMesh(["completion", "bash"])).stdout;
    expect(JSON.parse(stdout)).toEqual({ schema: "mesh.completion.v1", shell: "bash", script: plain });
  });

  it("offers commands, those of a group, and options", async () => {
    expect((await runMesh(["complete", "--", "sta"])).stdout).toMatch(/^status\t/);
    expect((await runMesh(["complete", "--", "module", ""])).stdout).toMatch(/add\t.*\nlist\t.*\nshow\t/);
    expect((await runMesh(["complete", "--", "push", "--con"])).stdout).toMatch(/^--confirm-removal\t/);
    expect((await runMesh(["complete", "--", "completion", ""])).stdout).toMatch(/bash.*\n.*zsh.*\n.*fish/);
  });

  it("a mesh that is not there completes no names, and no error gets between two key strokes", async () => {
    const ran = await runMesh(["complete", "--", "push", ""]);
    expect(ran).toMatchObject({ code: 0, stdout: ":4\n", stderr: "" });
  });
});
