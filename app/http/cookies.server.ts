import { basePath } from "~/core/base-path";
import type { EdgeContext } from "./context.server";

type Secure = Pick<EdgeContext, "secure">;

/**
 * `__Host-` binds a cookie to this host over HTTPS; browsers refuse the prefix on plain HTTP. It is for a whole host: below
 * a base path `__Secure-` leaves the path, which keeps consoles of one host apart.
 */
export function cookieName(name: string, { secure }: Secure): string {
  if (!secure) return name;
  return basePath() === "" ? `__Host-${name}` : `__Secure-${name}`;
}

export const cookiePath = (): string => basePath() || "/";

export function readCookie(request: Request, name: string, context: Secure): string | undefined {
  return findCookie(request.headers.get("cookie") ?? undefined, name, context);
}

export function findCookie(header: string | undefined, name: string, context: Secure): string | undefined {
  const fullName = cookieName(name, context);
  for (const pair of (header ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === fullName) return pair.slice(at + 1).trim();
  }
  return undefined;
}

export function cookie(
  name: string,
  value: string,
  maxAge: number,
  context: Secure,
  /** Whether scripts can read and remove it. */
  isForScripts = false,
): string {
  const parts = [
    `${cookieName(name, context)}=${value}`,
    `Path=${cookiePath()}`,
    `Max-Age=${Math.max(0, Math.floor(maxAge))}`,
  ];
  if (!isForScripts) parts.push("HttpOnly");
  parts.push("SameSite=Lax");
  if (context.secure) parts.push("Secure");
  return parts.join("; ");
}
