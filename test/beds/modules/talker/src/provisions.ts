import { readFileSync } from "node:fs";

/** The broker's address as the host wrote it: credentials come by file. */
export function readBrokerUrl(file: string | undefined): string {
  if (file === undefined) throw new Error("MESH_PROVISIONS is not set");
  const provisions = JSON.parse(readFileSync(file, "utf8")) as { broker?: { url?: string } };
  if (provisions.broker?.url === undefined) throw new Error(`${file} has no broker`);
  return provisions.broker.url;
}
