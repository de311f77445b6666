import { createServer } from "node:net";

/** `main.js` of a service that answers its text and its pid on the port in PORT. */
export function httpService(text: string): string {
  return `
    const http = require("node:http");
    const said = ${JSON.stringify(text)} + " " + process.pid;
    http.createServer((_, answer) => answer.end(said)).listen(Number(process.env.PORT), "127.0.0.1");
  `;
}

export async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

export async function ask(port: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/`)).text();
}
