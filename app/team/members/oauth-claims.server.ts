import { z } from "zod";
import { env } from "~/core/env.server";
import { clip } from "~/core/well-formed";

/** Optional claims: invalid ones count as missing. */
const optionalText = (max: number) => z.string().trim().min(1).max(max).optional().catch(undefined);
/** Some providers write flags as text or numbers. */
const flag = z
  .union([z.boolean(), z.enum(["true", "1"]).transform(() => true), z.literal(1).transform(() => true)])
  .catch(false);

const ClaimSet = z.looseObject({
  sub: z.string().min(1).max(255),
  email: optionalText(254).transform((value) => value?.toLowerCase()),
  email_verified: flag,
  /** Entra's: the tenant has proved that it owns the address's domain. */
  xms_edov: flag,
  given_name: optionalText(80),
  family_name: optionalText(80),
  name: optionalText(160),
  preferred_username: optionalText(160),
  /** Login names of Entra and AD FS. */
  unique_name: optionalText(160),
  upn: optionalText(160),
  picture: z
    .url({ protocol: /^https$/ })
    .max(500)
    .optional()
    .catch(undefined),
});
type ClaimSet = z.infer<typeof ClaimSet>;

export interface Claims {
  issuer: string;
  subject: string;
  email: string | undefined;
  emailVerified: boolean;
  firstName: string | undefined;
  lastName: string | undefined;
  pictureUrl: string | undefined;
  groups: string[];
  /** True if the provider named the groups' claim but left its values out, as Entra does above 200 groups. */
  groupsLeftOut: boolean;
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

const Overage = z.object({
  /** OpenID Connect Core 5.6.2: claims that stand elsewhere. */
  _claim_names: z.record(z.string(), z.unknown()).catch({}).default({}),
  hasgroups: flag.default(false),
});

function leavesOut(claims: ClaimSet, name: string): boolean {
  const { _claim_names, hasgroups } = Overage.parse(claims);
  return Object.hasOwn(_claim_names, name) || (name === "groups" && hasgroups);
}

/** The first set that has any. */
const firstOf = <K extends keyof ClaimSet>(sets: readonly ClaimSet[], key: K): ClaimSet[K] | undefined =>
  sets.find((set) => set[key] !== undefined)?.[key];

function namesIn(sets: readonly ClaimSet[]): Pick<Claims, "firstName" | "lastName"> {
  const login =
    firstOf(sets, "unique_name") ?? firstOf(sets, "preferred_username") ?? firstOf(sets, "upn") ?? "";
  const whole = firstOf(sets, "name")?.split(/\s+/) ?? [];
  const first = clip(whole.slice(0, -1).join(" "), 80) || clip(whole[0] ?? "", 80);
  const last = firstOf(sets, "family_name") ?? (whole.length > 1 ? clip(whole.at(-1) ?? "", 80) : undefined);
  const given = firstOf(sets, "given_name") ?? (first || undefined);
  const hasName = given !== undefined || last !== undefined || firstOf(sets, "email") !== undefined;
  return { firstName: hasName ? given : clip(login, 80) || undefined, lastName: last };
}

/**
 * Merges a person's claims: userinfo first, then the verified ID token, in which Entra ID and AD FS put groups and names.
 * @throws Error for missing claims, or if both are about different subjects
 */
export function readClaims(
  issuer: string,
  { userInfo, idToken }: { userInfo?: unknown; idToken?: unknown },
): Claims {
  const sets = [userInfo, idToken].filter((set) => set !== undefined).map((set) => ClaimSet.parse(set));
  const [first] = sets;
  if (!first) throw new Error("The provider sent neither userinfo nor an ID token");
  // OpenID Connect Core 5.3.2: userinfo of another subject must not be used.
  if (sets.some(({ sub }) => sub !== first.sub))
    throw new Error("Userinfo is about another subject than the ID token");
  const email = firstOf(sets, "email");
  const isVerified = (set: ClaimSet) => set.email === email && (set.email_verified || set.xms_edov);
  const name = env().OAUTH_GROUPS_CLAIM;
  const groups = sets.map((set) => groupsIn(set, name)).find((list) => list.length > 0) ?? [];
  return {
    issuer,
    subject: first.sub,
    email: z.email().safeParse(email).success ? email : undefined,
    emailVerified: email !== undefined && sets.some(isVerified),
    ...namesIn(sets),
    pictureUrl: firstOf(sets, "picture"),
    groups,
    groupsLeftOut: groups.length === 0 && sets.some((set) => leavesOut(set, name)),
  };
}
