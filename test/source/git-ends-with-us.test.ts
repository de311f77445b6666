import { spawn } from "node:child_process";
import { createServer, type Socket } from "node:net";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";

it("a git that a source keeps waiting ends with our process (case 4)", async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const url = `https://127.0.0.1:${address.port}/x`;
  const source = new URL("../../src/source/git.ts", import.meta.url).href;
  const script = `
    const { runGit } = await import(${JSON.stringify(source)});
    runGit({ args: ["ls-remote", ${JSON.stringify(url)}], waitMs: 600_000 }).catch(() => undefined);
    process.stdin.once("data", () => process.exit(0));
  `;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", script], {
    stdio: ["pipe", "inherit", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [asked] = (await once(server, "connection")) as [Socket];
  const gone = once(asked, "close");
  asked.on("error", () => undefined).resume();
  child.stdin.write("go\n");
  await once(child, "exit");
  await gone;
  expect(asked.destroyed).toBe(true);
}, 60_000);
