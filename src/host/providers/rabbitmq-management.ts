import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { InputError, UnavailableError } from "../../core/errors.ts";
import { NoAnswerError } from "./no-answer.ts";
import type { ProviderAccess } from "./provider.ts";

const answerWithinMs = 15_000;
const bodyLimitBytes = 32 * 1024 * 1024;

export interface ManagementAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * One request to the management API. `segments` are the path's parts: each is escaped here. Answers 404 are returned,
 * others that are no success are thrown. Throws UnavailableError where it cannot be done now, NoAnswerError where nothing
 * came back, and the signal's reason. No error holds what was sent.
 */
export async function askManagement(
  access: Pick<ProviderAccess, "admin" | "adminUser" | "adminPassword" | "signal">,
  method: "GET" | "PUT" | "DELETE",
  segments: readonly string[],
  body?: object,
): Promise<ManagementAnswer> {
  const path = `/api/${segments.map(encodeURIComponent).join("/")}`;
  const { signal } = access;
  signal.throwIfAborted();
  const answer = await send(access, method, path, body).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
  if (answer.status === 404 || (answer.status >= 200 && answer.status < 300)) return answer;
  if (answer.status >= 500 || answer.status === 429) {
    throw new UnavailableError(`RabbitMQ's management API answers ${answer.status} to ${method} ${path}`);
  }
  const next = answer.status === 401 ? "Check the administrator's user and password file." : "";
  throw new InputError(`RabbitMQ's management API answers ${answer.status} to ${method} ${path}`, next);
}

function send(
  access: Pick<ProviderAccess, "admin" | "adminUser" | "adminPassword" | "signal">,
  method: string,
  path: string,
  body: object | undefined,
): Promise<ManagementAnswer> {
  if (!URL.canParse(access.admin)) throw new InputError(`${access.admin} is no URL of RabbitMQ's management API`);
  const base = new URL(access.admin);
  const request = base.protocol === "https:" ? requestHttps : requestHttp;
  const payload = body === undefined ? "" : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void =>
      reject(new NoAnswerError(`RabbitMQ's management API at ${base.origin} does not answer`, "", { cause }));
    const asked = request(
      {
        host: base.hostname.replaceAll(/[[\]]/g, ""),
        port: base.port,
        // Not as a URL: that would undo the escaping of a name's dots.
        path: `${base.pathname.replace(/\/$/, "")}${path}`,
        method,
        agent: false,
        auth: `${access.adminUser}:${access.adminPassword}`,
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(payload) },
        signal: AbortSignal.any([access.signal, AbortSignal.timeout(answerWithinMs)]),
      },
      (response) => {
        const parts: Buffer[] = [];
        let bytes = 0;
        response.on("data", (part: Buffer) => {
          bytes += part.length;
          parts.push(part);
          if (bytes <= bodyLimitBytes) return;
          // It does answer, and lets others in: not what a server is that is away.
          const words = `RabbitMQ's management API answers more than ${bodyLimitBytes} bytes to ${method} ${path}`;
          reject(new UnavailableError(words, "It is asked again."));
          response.destroy();
        });
        response.once("error", fail);
        response.once("end", () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString("utf8") }),
        );
      },
    );
    asked.once("error", fail);
    asked.end(payload);
  });
}
