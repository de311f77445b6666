import { randomBytes } from "node:crypto";
import { z } from "zod";

/** What a controller's process connects as: one login for each of its three sides. */
export const loginRoles = ["controller", "gateway", "builder"] as const;
export type LoginRole = (typeof loginRoles)[number];

/** Owns nothing, and is a member of `mesh_<role>` and of no other role. */
export const loginSchema = z.object({
  role: z.enum(loginRoles),
  /** Logins belong to the server, and two meshes of one name may be on it: each start of a mesh chooses its own. */
  name: z.string().regex(/^mesh_[a-z]+_[0-9a-f]{12}$/),
  /** A secret. */
  password: z.string().regex(/^[A-Za-z0-9_-]{32}$/),
});
export type Login = z.infer<typeof loginSchema>;

export function makeLogins(): Login[] {
  const mark = randomBytes(6).toString("hex");
  return loginRoles.map((role) => ({
    role,
    name: `mesh_${role}_${mark}`,
    password: randomBytes(24).toString("base64url"),
  }));
}

/** The owner's address, as another user. An address without a host has no place for one but its parameters. */
export function addressAsLogin(ownerUrl: string, { name, password }: Login): string {
  const url = new URL(ownerUrl);
  url.searchParams.delete("user");
  url.searchParams.delete("password");
  if (url.hostname === "") {
    url.searchParams.set("user", name);
    url.searchParams.set("password", password);
    return url.href;
  }
  url.username = name;
  url.password = password;
  return url.href;
}
