/** What a run has started once for all its projects. */
export interface SharedServer {
  stop(): Promise<void>;
}

interface Entry {
  users: number;
  readonly server: Promise<SharedServer>;
}

declare global {
  /** Each project loads the setup files anew, so what they share is kept on the one global object. */
  var meshTestServers: Map<string, Entry> | undefined;
}

/** The server of that name, started at the first call; `release` stops it once the last user has released it. */
export async function useSharedServer<T extends SharedServer>(
  name: string,
  start: () => Promise<T>,
  isWanted: (server: SharedServer) => server is T,
): Promise<{ readonly server: T; readonly release: () => Promise<void> }> {
  const servers = (globalThis.meshTestServers ??= new Map<string, Entry>());
  const entry = servers.get(name) ?? { users: 0, server: start() };
  servers.set(name, entry);
  entry.users += 1;
  const server = await entry.server;
  if (!isWanted(server)) throw new Error(`the shared server ${name} is another kind`);
  const release = async (): Promise<void> => {
    entry.users -= 1;
    if (entry.users > 0) return;
    servers.delete(name);
    await server.stop();
  };
  return { server, release };
}
