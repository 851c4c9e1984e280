import { z } from "zod";
import { sensitive } from "~/platform/audit/audit.schema";
import { nameField } from "~/platform/catalogue/fields.schema";
import { Role } from "~/platform/rights/roles.schema";
import { PASSWORD_MAX, PASSWORD_MIN } from "./members.shared";

const Email = z
  .string({ error: "Enter an email address" })
  .trim()
  .toLowerCase()
  .max(254, "Enter a shorter email address")
  .pipe(z.email({ error: "Enter an email address" }));

const NewPassword = z
  .string({ error: `Use at least ${PASSWORD_MIN} characters` })
  .min(PASSWORD_MIN, `Use at least ${PASSWORD_MIN} characters`)
  .max(PASSWORD_MAX, `Use at most ${PASSWORD_MAX} characters`);

/** Only bounded: the rules apply to new passwords. */
const TypedPassword = z
  .string({ error: "Enter your password" })
  .min(1, "Enter your password")
  .max(PASSWORD_MAX * 4);

const NameText = z
  .string()
  .trim()
  .max(80, "Use at most 80 characters")
  .regex(/^[^\p{Cc}<>]*$/u, "Use letters, spaces and punctuation only");

/** An empty name in a form means none. */
const Name = NameText.nullish().transform((value) => value || null);

const Identity = z.object({
  id: z.string(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  email: z.string(),
  role: Role,
  profileImageUrl: z.string().nullable(),
});

export const CurrentUser = Identity.extend({
  version: z.string().describe("Changes with the names; send it with a change of them"),
});
export type CurrentUser = z.infer<typeof CurrentUser>;

export const Member = Identity.extend({
  status: z.enum(["active", "waiting", "invited", "suspended"]),
  signIn: z.array(z.enum(["password", "oauth"])).describe("Sign-in methods of this person"),
  mappedRole: Role.nullable().describe(
    "Role that the sign-in provider's groups gave at the last sign-in, and give again at the next",
  ),
  hasSecondFactor: z.boolean().describe("Whether this person has an authenticator app or a passkey"),
  createdAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime().nullable(),
});
export type Member = z.infer<typeof Member>;

const PageNumber = z.coerce.number().int().min(1).max(100_000).catch(1);

export const MembersQuery = z.object({
  q: z.string().trim().max(200).catch(""),
  sort: z.enum(["name", "role", "seen"]).catch("name"),
  page: PageNumber,
  requests: PageNumber,
  links: PageNumber,
});
export type MembersQuery = z.infer<typeof MembersQuery>;

export const SignInInput = z.object({ email: Email, password: TypedPassword });
export type SignInInput = z.infer<typeof SignInInput>;

export const OwnerInput = z.object({ firstName: Name, lastName: Name, email: Email, password: NewPassword });
export type OwnerInput = z.infer<typeof OwnerInput>;

export const AcceptInput = z.object({ firstName: Name, lastName: Name, password: NewPassword });
export type AcceptInput = z.infer<typeof AcceptInput>;

const version = z.string().max(100).optional();

export const ProfileInput = z.object({ firstName: Name, lastName: Name, version });

/** Changes only the given fields; null clears. */
export const ProfilePatch = z.object({
  firstName: NameText.nullable().optional().register(sensitive, { kind: "personal" }),
  lastName: NameText.nullable().optional().register(sensitive, { kind: "personal" }),
  version: version.describe("The version that was read; 409 if the names changed since"),
});
export type ProfilePatch = z.infer<typeof ProfilePatch>;

export const PasswordInput = z.object({ currentPassword: TypedPassword, newPassword: NewPassword });
export type PasswordInput = z.infer<typeof PasswordInput>;

export const MemberInput = z.object({ email: Email, role: Role.default("member") });
export type MemberInput = z.infer<typeof MemberInput>;

export const RoleInput = z.object({ role: Role });

export const AdmitInput = z.object({ role: Role.default("viewer") });

export const Invitation = z.object({
  member: Member,
  inviteUrl: z.string().describe("The one-time link, returned only once"),
  expiresAt: z.iso.datetime(),
});
export type Invitation = z.infer<typeof Invitation>;

export const SessionInfo = z.object({
  id: z.string(),
  current: z.boolean(),
  userAgent: z.string().nullable(),
  address: z.string().nullable(),
  createdAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime(),
});
export type SessionInfo = z.infer<typeof SessionInfo>;

const GROUP_MEMBERS_MAX = 1000;

const GroupName = nameField("Enter a group name", 60);

const MemberIds = z
  .array(z.string().min(1).max(64))
  .max(GROUP_MEMBERS_MAX, `Choose at most ${GROUP_MEMBERS_MAX} members`);

export const Group = z.object({
  id: z.string(),
  name: z.string(),
  members: z.array(z.object({ id: z.string(), name: z.string() })).describe("By name"),
});
export type Group = z.infer<typeof Group>;

export const GroupInput = z.object({
  name: GroupName,
  members: MemberIds.default([]).describe("IDs of its members"),
});
export type GroupInput = z.infer<typeof GroupInput>;

export const GroupPatch = z.object({
  name: GroupName.optional(),
  members: MemberIds.optional().describe("IDs of all its members"),
});
export type GroupPatch = z.infer<typeof GroupPatch>;
