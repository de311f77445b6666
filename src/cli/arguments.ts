import type { z } from "zod";
import { orderSchema, type Order } from "../core/declaration.ts";
import { InputError } from "../core/errors.ts";
import { nameSchema, type Name } from "../core/names.ts";
import { sayIssue } from "../core/say-issue.ts";
import { plainLine } from "./text/plain.ts";

/** What a person typed, checked by its schema. Throws InputError that says what it is, what came and what is wrong. */
export function parseArgument<T>(schema: z.ZodType<T>, what: string, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const shown = typeof value === "string" ? `"${plainLine(value, 60)}"` : plainLine(issue?.path.join(".") ?? "", 120);
  throw new InputError(`${what} ${shown} is not right: ${sayIssue(issue)}`);
}

export function parseName(what: string, value: unknown): Name {
  return parseArgument(nameSchema, `${what} name`, value);
}

export function parseNames(what: string, values: unknown): Name[] {
  return Array.isArray(values) ? [...new Set(values.map((value) => parseName(what, value)))] : [];
}

/** `key=value` words of a repeated option, as a record. The value may hold `=` itself. */
export function parsePairs(option: string, words: unknown): Record<string, string> {
  const pairs = new Map<string, string>();
  for (const word of Array.isArray(words) ? (words as readonly unknown[]) : []) {
    const text = String(word);
    const at = text.indexOf("=");
    if (at < 1) throw new InputError(`${option} takes KEY=VALUE, not "${plainLine(text, 60)}"`);
    const key = text.slice(0, at);
    if (pairs.has(key)) throw new InputError(`${option} gives ${plainLine(key, 60)} twice`);
    pairs.set(key, text.slice(at + 1));
  }
  return Object.fromEntries(pairs);
}

/** A whole number from an option. */
export function parseCount(option: string, value: unknown, limits: { min: number; max: number }): number {
  const text = String(value);
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= limits.min && count <= limits.max) return count;
  throw new InputError(`${option} takes a number from ${limits.min} to ${limits.max}, not "${plainLine(text, 60)}"`);
}

/** A whole number of seconds from an option, in milliseconds. */
export function parseSeconds(option: string, value: unknown, limits: { min: number; max: number }): number {
  const text = String(value);
  const seconds = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds >= limits.min && seconds <= limits.max)) {
    throw new InputError(`${option} takes seconds from ${limits.min} to ${limits.max}, not "${plainLine(text, 60)}"`);
  }
  return seconds * 1000;
}

/** `2.51` from an option: epoch 2, number 51. */
export function parseOrder(option: string, value: unknown): Order {
  const text = String(value);
  const [, epoch, number] = /^(\d{1,16})\.(\d{1,16})$/.exec(text) ?? [];
  const parsed = orderSchema.safeParse({ epoch: Number(epoch), number: Number(number) });
  if (parsed.success) return parsed.data;
  throw new InputError(`${option} takes EPOCH.NUMBER, as in 2.51, not "${plainLine(text, 60)}"`);
}

/** A reason that is kept and shown as it was typed: empty where none was given. Throws InputError for one that is cut. */
export function parseWhy(value: unknown, limit: number): string {
  if (typeof value !== "string") return "";
  const why = plainLine(value, limit + 1);
  if (value.length <= limit * 2 && why.length <= limit) return why;
  throw new InputError(
    `--why takes at most ${limit} characters, this one has ${value.length}`,
    "say it in a sentence, and keep the rest where it can be read",
  );
}
