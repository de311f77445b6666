import { basename } from "node:path";

/** For the person whose controller has a folder of its own: this program does not know where that is. */
export function sayCopy(file: string): string {
  return `where the controller has a folder of its own: copy ${file} to its secrets/${basename(file)} (chmod 600); it is used without a restart`;
}
