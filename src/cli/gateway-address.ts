import { z } from "zod";

/** The edge for where the gateway listens. What was read is in each message: an address is no secret. */
const isIp = (text: string): boolean => z.union([z.ipv4(), z.ipv6()]).safeParse(text).success;
const hostNamePattern = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/** Null: it is one. Else what is wrong, as a sentence's end. */
function whyNoAddress(text: string): string | null {
  if (text === "0.0.0.0" || text === "::") return "name the one address that hosts connect to";
  if (isIp(text)) return null;
  if (/^\[.*\]/.test(text)) return "an IPv6 address stands without brackets";
  if (/:\d{1,5}$/.test(text))
    return "an address alone, without a port: mesh up chooses that, and keeps it in ports.json";
  return "an IPv4 or IPv6 address of this machine";
}

/** `listen` of `settings.json`: one address of this machine. */
export const listenSchema = z
  .string(expected("an IPv4 or IPv6 address of this machine, as text"))
  .superRefine((text, context) => {
    const why = whyNoAddress(text);
    if (why !== null) context.addIssue({ code: "custom", message: say(why, text) });
  });

/** `gateway` of `mesh.json`. */
export const gatewayAddressSchema = z.object({
  host: z.string(expected("an address or a name, as text")).superRefine((text, context) => {
    const why = isLikeName(text) ? null : whyNoAddress(text);
    if (why !== null) context.addIssue({ code: "custom", message: say(why, text) });
  }),
  port: z
    .number(expected("a port, 1 to 65535"))
    .refine((port) => Number.isInteger(port) && port >= 1 && port <= 65_535, {
      error: ({ input }) => say("a port, 1 to 65535", input),
    }),
});

/** The last label of a name is no number: `10.0.0.256` is a mistyped address. */
function isLikeName(text: string): boolean {
  return hostNamePattern.test(text) && !/(^|\.)\d+$/.test(text);
}

function expected(what: string): { readonly error: (issue: { readonly input?: unknown }) => string } {
  return { error: ({ input }) => say(what, input) };
}

function say(what: string, read: unknown): string {
  return `${what}, not ${read === undefined ? "nothing" : (JSON.stringify(read) ?? "that").slice(0, 100)}`;
}
