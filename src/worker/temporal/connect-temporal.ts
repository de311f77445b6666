import { Connection, type TLSConfig } from "@temporalio/client";
import { NativeConnection } from "@temporalio/worker";
import { explainFailure } from "./explain-failure.ts";
import { readConnection, type TemporalConnection } from "./read-connection.ts";
import type { Environment } from "./read-profile.ts";
import type { TemporalServer } from "./temporal-server.ts";

/** For commands, and for all that a controller starts. Throws InputError, UnavailableError: `next` names the variable. */
export async function connectClient(server: TemporalServer, env?: Environment): Promise<Connection> {
  const connection = await readConnection(server, env);
  try {
    return await Connection.connect({ ...asOptions(connection), connectTimeout: "5 seconds" });
  } catch (error) {
    throw await explainFailure(server, connection, error);
  }
}

/** For workers; as `connectClient`. */
export async function connectWorker(server: TemporalServer, env?: Environment): Promise<NativeConnection> {
  const connection = await readConnection(server, env);
  try {
    return await NativeConnection.connect(asOptions(connection));
  } catch (error) {
    throw await explainFailure(server, connection, error);
  }
}

/** Whether the server lets us in, and has the namespace: asked before a controller is started, which would only end. */
export async function expectNamespace(server: TemporalServer, env?: Environment): Promise<void> {
  const client = await connectClient(server, env);
  try {
    await client.withDeadline(Date.now() + 10_000, () =>
      client.workflowService.describeNamespace({ namespace: server.namespace }),
    );
  } catch (error) {
    throw await explainFailure(server, await readConnection(server, env), error);
  } finally {
    await client.close();
  }
}

/** In the words that both SDKs share. */
function asOptions({ address, tls, apiKey, metadata }: TemporalConnection): SharedOptions {
  return {
    address,
    tls: tls ?? false,
    ...(apiKey === null ? {} : { apiKey }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

interface SharedOptions {
  readonly address: string;
  readonly tls: TLSConfig | false;
  readonly apiKey?: string;
  readonly metadata?: Record<string, string>;
}
