import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { errorCode } from "../../core/errors.ts";

export interface HealthCheck {
  /** URL that answers 2xx. */
  readonly http?: string;
  /** `host:port` that accepts a connection. */
  readonly tcp?: string;
}

export interface HealthAnswer {
  readonly ok: boolean;
  /** What was asked and what came back. */
  readonly said: string;
}

/** One probe is short: a pass asks again soon. */
const probeLimitMs = 2000;
const betweenTriesMs = 250;

/** Asks every check there is; all must be good. No answer is an answer: not healthy. */
export async function probeHealth(check: HealthCheck, options: { readonly tries: number }): Promise<HealthAnswer> {
  for (let tried = 1; ; tried += 1) {
    const answer = await probeOnce(check);
    if (answer.ok || tried >= options.tries) return answer;
    await wait(betweenTriesMs);
  }
}

async function probeOnce(check: HealthCheck): Promise<HealthAnswer> {
  const answers: HealthAnswer[] = [];
  if (check.tcp !== undefined) answers.push(await probeTcp(check.tcp));
  if (check.http !== undefined) answers.push(await probeHttp(check.http));
  return answers.find(({ ok }) => !ok) ?? { ok: true, said: answers.map(({ said }) => said).join(", ") };
}

function probeTcp(address: string): Promise<HealthAnswer> {
  const [, host, port] = /^\[?([^\]]+)\]?:([0-9]{1,5})$/.exec(address) ?? [];
  if (host === undefined || port === undefined || Number(port) > 65_535) {
    return Promise.resolve({ ok: false, said: `${address} is no host:port` });
  }
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: probeLimitMs });
    const end = (ok: boolean, said: string): void => {
      socket.destroy();
      resolve({ ok, said: `${address} ${said}` });
    };
    socket.once("connect", () => end(true, "accepts connections"));
    socket.once("timeout", () => end(false, "does not answer"));
    socket.once("error", (error) => end(false, words(error)));
  });
}

function probeHttp(address: string): Promise<HealthAnswer> {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return Promise.resolve({ ok: false, said: `${address} is no http URL` });
  }
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve) => {
    const asked = request(url, { agent: false, signal: AbortSignal.timeout(probeLimitMs) }, (response) => {
      const status = response.statusCode ?? 0;
      // Only the status counts; the body is not read.
      response.destroy();
      resolve({ ok: status >= 200 && status < 300, said: `${address} answers ${status}` });
    });
    asked.once("error", (error) => resolve({ ok: false, said: `${address} ${words(error)}` }));
    asked.end();
  });
}

function words(error: Error): string {
  const code = errorCode(error);
  if (code === "ECONNREFUSED") return "refuses connections";
  if (error.name === "TimeoutError" || error.name === "AbortError") return "does not answer";
  return `gives an error (${code ?? error.name})`;
}
