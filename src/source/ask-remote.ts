import { UnavailableError } from "../core/errors.ts";
import { GitError, runGit } from "./git.ts";
import { readCredentials, type HostCredentials } from "./remote-credentials.ts";
import { checkRepositoryUrl } from "./repository-url.ts";

/** Also in the middle of a fetch: nothing of ours goes to an address that nobody registered. */
const redirected = /unable to update url base from redirection|returned error: 30[12378]\b/i;
const sayMoved = "its server names another address, which is not followed (mesh repo add NAME URL --moved)";

/** What git says below the reason, whatever the reason is. */
const saidOfAll =
  /^(fatal: Could not read from remote repository\.?|Please make sure you have the correct access rights|and the repository exists\.)$/;

/** Its last two lines that say something; all of them where none does. */
export function pickReason(stderr: string): string {
  const lines = stderr
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const telling = lines.filter((line) => !saidOfAll.test(line));
  return (telling.length === 0 ? lines : telling).slice(-2).join(" ").slice(0, 500);
}

/** By git's own words: it quotes the address, and repeats what the server says, and both may hold any word. */
function isRedirected(stderr: string, url: string): boolean {
  const own = stderr.split("\n").filter((line) => !line.startsWith("remote:"));
  return redirected.test(own.join("\n").replaceAll(url, ""));
}

/** Runs git against the remote. UnavailableError, with git's own last words, where it does not answer as it should. */
export async function askRemote(url: string, run: Parameters<typeof runGit>[0]): Promise<Buffer> {
  try {
    return await runGit(run);
  } catch (cause) {
    if (!(cause instanceof GitError)) throw cause;
    const why = cause.stopped ?? pickReason(cause.stderr);
    const moved = isRedirected(cause.stderr, url) ? `; ${sayMoved}` : "";
    throw new UnavailableError(
      `repository ${url} did not answer: ${why}${moved}`,
      "Check its address, the network and the rights to read it.",
      { cause },
    );
  }
}

/**
 * Looks once whether there is a repository at all, without a clone. Throws UnavailableError where it does not answer
 * within `waitMs`, InputError for an address we refuse. One without any commit answers too.
 */
export async function probeRepository(text: string, waitMs: number, credentials: HostCredentials = {}): Promise<void> {
  const url = checkRepositoryUrl(text);
  const config = await readCredentials(url, credentials);
  await askRemote(url, { args: ["ls-remote", "--quiet", "--end-of-options", url, "HEAD"], waitMs, config });
}
