import { createServer } from "node:net";
import { InputError } from "../core/errors.ts";

/**
 * Null: this machine can listen there. Else why not, as a sentence's end. By trying: an address may be one without
 * being on any interface, as all of 127.0.0.0/8 are.
 */
export async function whyNotListen(host: string): Promise<string | null> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code === "EADDRNOTAVAIL" ? "it is not an address of this machine" : error.message),
    );
    server.listen(0, host, () => server.close(() => resolve(null)));
  });
}

/** Throws InputError before anything is started, and before a certificate is made for an address that is none. */
export async function expectOwnAddress(host: string, file: string): Promise<void> {
  const why = await whyNotListen(host);
  if (why === null) return;
  throw new InputError(
    `the controller cannot listen on ${host}: ${why}`,
    `correct \`listen\` in ${file}: the one address of this machine that hosts connect to (ip addr shows them)`,
  );
}
