import { spawn } from "node:child_process";
import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { chooseFreePort } from "../../src/embedded/ports.ts";
import { findPostgresBinaries } from "../../src/embedded/postgres-binaries.ts";
import { readRunAs } from "../../src/embedded/run-as.ts";
import type { GitRepository } from "../support/git-repository.ts";
import { canary, openBedMesh, type BedMesh } from "./support/bed-mesh.ts";
import { createBedSource } from "./support/bed-source.ts";
import { listMeshProcesses } from "./support/mesh-processes.ts";
import { listRows, pushNodes } from "./support/push-document.ts";
import { readProvision } from "./support/read-provisions.ts";
import { readRecords } from "./support/read-records.ts";
import { waitFor } from "./support/wait-for.ts";

/** Every minted password begins with a marker; the marker is looked for everywhere after mints, errors and withdrawals. */
describe("a secret canary (R46, case 51)", () => {
  let mesh: BedMesh;
  let source: GitRepository;
  beforeAll(async () => {
    source = await createBedSource([
      { module: "core", from: "core" },
      { module: "postgres", from: "postgres" },
      { module: "meshboard", from: "meshboard" },
    ]);
    mesh = await openBedMesh("canary", { logLevel: "debug" });
    await mesh.addHost("node-a");
    await mesh.addHost("node-b");
    await mesh.ask("repo", "add", "source", source.dir);
    for (const module of ["core", "postgres", "meshboard"])
      await mesh.ask("module", "add", module, "--repo", "source", "--path", module);
    await mesh.ask("build", "--wait");
    const { bin } = await findPostgresBinaries({
      runAs: readRunAs(),
      copyFolder: join(mesh.folder, "bin"),
      major: null,
    });
    await mesh.ask("assign", "node-b", "postgres", "--set", `port=${await chooseFreePort()}`, "--set", `binDir=${bin}`);
    await mesh.ask("declare", "node-b");
    await mesh.ask("assign", "node-a", "meshboard", "--set", `port=${await chooseFreePort()}`);
  });

  afterAll(async () => {
    await source?.remove();
  });

  /** kill -STOP: the server accepts connections and never answers one. */
  async function signalProvider(signal: NodeJS.Signals): Promise<void> {
    const data = join(mesh.hostFolder("node-b"), "root", "data", "postgres", "cluster");
    const servers = (await listMeshProcesses(data)).filter(({ cwd }) => cwd === data);
    expect(servers).not.toEqual([]);
    for (const { pid } of servers) process.kill(pid, signal);
  }

  it("is nowhere after a mint at a provider that fails at first, and a withdrawal", async () => {
    await signalProvider("SIGSTOP");
    const failed = await mesh.run("push", "node-a", "--timeout", "8");
    expect(failed.code).not.toBe(0);
    await waitFor(
      "the provider's failure in a report",
      async () => {
        const rows = await readRecords<{ report: string }>(
          mesh.state,
          "select report::text from account where node = 'node-b'",
        );
        return rows[0]?.report.includes("does not answer") ? true : null;
      },
      60_000,
    );
    for (const words of [["status"], ["status", "--json"], ["why", "node-a"], ["why", "node-b", "--json"]])
      await mesh.run(...words);
    await signalProvider("SIGCONT");
    await waitFor("all is settled", async () => ((await mesh.run("status")).code === 0 ? true : null), 90_000);

    const { password } = await readProvision(mesh.hostFolder("node-a"), "meshboard", "database");
    expect(password.startsWith(canary.marker)).toBe(true);

    await mesh.ask("unassign", "node-a", "meshboard");
    expect(listRows(await pushNodes(mesh, "node-a"))).toContain("node-b round 1 sent applied");
    for (const words of [
      ["plan", "node-a"],
      ["module", "show", "meshboard"],
      ["host", "list"],
      ["status", "--json"],
    ])
      await mesh.run(...words);
    const { hits, looked } = await mesh.searchCanary();
    expect(hits).toEqual([]);
    expect(looked).toBeGreaterThan(200);
  });

  it("is found when it is planted in each kind of place, in each spelling", async () => {
    const secret = `${canary.marker}planted`;
    const base64 = Buffer.from(`..${secret}`).toString("base64");
    await appendFile(join(mesh.state, "log", "controller.log"), `${JSON.stringify({ msg: secret })}\n`);
    await appendFile(join(mesh.folder, "node-a.log"), `${encodeURIComponent(secret)}\n`);
    await appendFile(join(mesh.hostFolder("node-b"), "state", "planted.json"), JSON.stringify({ base64 }));
    await readRecords(
      mesh.state,
      `create table planted as select '${encodeURIComponent(secret)}' as word, convert_to('.${secret}', 'UTF8') as bytes`,
    );
    await mesh.run("status", secret);
    const idle = ["-e", "setInterval(() => undefined, 1000)"];
    const options = { cwd: mesh.hostFolder("node-a"), stdio: "ignore" } as const;
    const shows = spawn(process.execPath, [...idle, secret], options);
    const keeps = spawn(process.execPath, idle, { ...options, env: { PLANTED: base64 } });
    try {
      await startWorkflow(secret);
      const { hits } = await mesh.searchCanary();
      for (const [place, how] of [
        ["state/log/controller.log", "in clear"],
        ["/node-a.log", "URL-encoded"],
        ["node-b/state/planted.json", "in base64 at alignment 2"],
        ["table public.planted", "URL-encoded"],
        ["table public.planted, bytes", "in clear"],
        ["output of command", "in clear"],
        [`cmdline of process ${shows.pid}`, "in clear"],
        [`environ of process ${keeps.pid}`, "in base64 at alignment 2"],
        ["history of planted", "in clear"],
      ])
        expect(hits, `${place} ${how}`).toContainEqual(expect.stringMatching(inOrder(place ?? "", how ?? "")));
      await expect(mesh.close()).rejects.toThrow("secrets in clear");
    } finally {
      shows.kill("SIGKILL");
      keeps.kill("SIGKILL");
    }
  });

  function inOrder(...parts: string[]): RegExp {
    return new RegExp(parts.map((part) => part.replaceAll(/[.()]/g, "\\$&")).join(".*"));
  }

  /** One that nobody works on: only its beginning is in its history. */
  async function startWorkflow(argument: string): Promise<void> {
    const { temporal } = z
      .object({ temporal: z.object({ address: z.string(), namespace: z.string() }) })
      .parse(JSON.parse(await readFile(join(mesh.state, "mesh.json"), "utf8")));
    const connection = await Connection.connect({ address: temporal.address });
    const client = new Client({ connection, namespace: temporal.namespace });
    const start = { workflowId: "planted", taskQueue: "nobody", args: [argument] };
    const handle = await client.workflow.start("planted", start);
    const isListed = async (): Promise<true | null> => {
      for await (const { workflowId } of client.workflow.list()) if (workflowId === "planted") return true;
      return null;
    };
    await waitFor("the workflow in the list", isListed, 20_000);
    await handle.terminate("planted");
    await connection.close();
  }
});
