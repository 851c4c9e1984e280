import { z } from "zod";
import { now } from "~/core/clock.server";
import { env } from "~/core/env.server";
import { clip, parseWellFormed } from "~/core/well-formed";

/** Optional claims: invalid ones count as missing. */
const optionalText = (max: number) => z.string().trim().min(1).max(max).optional().catch(undefined);

const UserInfo = z.looseObject({
  sub: z.string().min(1).max(255),
  email: optionalText(254).transform((value) => value?.toLowerCase()),
  email_verified: z.union([z.boolean(), z.literal("true").transform(() => true)]).catch(false),
  given_name: optionalText(80),
  family_name: optionalText(80),
  name: optionalText(160),
  picture: z
    .url({ protocol: /^https$/ })
    .max(500)
    .optional()
    .catch(undefined),
});

const IdToken = z.object({
  iss: z.string(),
  sub: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
});

export interface Claims {
  issuer: string;
  subject: string;
  email: string | undefined;
  emailVerified: boolean;
  firstName: string | undefined;
  lastName: string | undefined;
  pictureUrl: string | undefined;
  groups: string[];
}

/** By name or dotted path (`realm_access.roles`). */
function groupsIn(claims: Record<string, unknown>, name: string): string[] {
  let value: unknown = Object.hasOwn(claims, name) ? claims[name] : claims;
  if (value === claims) {
    for (const part of name.split(".")) {
      value =
        typeof value === "object" && value !== null && Object.hasOwn(value, part)
          ? (value as Record<string, unknown>)[part]
          : undefined;
    }
  }
  const list = z.array(z.unknown()).safeParse(typeof value === "string" ? [value] : value);
  if (!list.success) return [];
  return list.data
    .slice(0, 1000)
    .filter((item) => typeof item === "string" && item.length <= 256) as string[];
}

/**
 * Parses userinfo and compares it with the id token, which TLS authenticates (OpenID Connect Core 3.1.3.7, point 6).
 * @throws Error for missing or inconsistent claims
 */
export function readClaims(
  userInfo: unknown,
  idToken: string | undefined,
  provider: { issuer: string; clientId: string },
): Claims {
  const info = UserInfo.parse(userInfo);
  if (idToken !== undefined) {
    const payload = IdToken.parse(
      parseWellFormed(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString("utf8")),
    );
    if (payload.iss !== provider.issuer) throw new Error("The id token is another issuer's");
    if (![payload.aud].flat().includes(provider.clientId))
      throw new Error("The id token is for another client");
    if (payload.exp * 1000 < now() - 60_000) throw new Error("The id token has expired");
    // Core 5.3.2: userinfo of another subject must not be used.
    if (payload.sub !== info.sub) throw new Error("Userinfo is about another subject than the id token");
  }
  const whole = info.name?.split(/\s+/) ?? [];
  return {
    issuer: provider.issuer,
    subject: info.sub,
    email: z.email().safeParse(info.email).success ? info.email : undefined,
    emailVerified: info.email_verified,
    firstName:
      info.given_name ?? (clip(whole.slice(0, -1).join(" "), 80) || clip(whole[0] ?? "", 80) || undefined),
    lastName: info.family_name ?? (whole.length > 1 ? clip(whole.at(-1) ?? "", 80) : undefined),
    pictureUrl: info.picture,
    groups: groupsIn(info, env().OAUTH_GROUPS_CLAIM),
  };
}
