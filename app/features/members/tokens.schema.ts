import { z } from "zod";
import { Role } from "./roles.schema";

const TOKEN_NAME_MAX = 80;
export const TOKEN_DAYS_MAX = 365;

export const TokenInput = z.object({
  name: z
    .string({ error: "Give the token a name" })
    .trim()
    .min(1, "Give the token a name")
    .max(TOKEN_NAME_MAX, `Use at most ${TOKEN_NAME_MAX} characters`),
  role: Role.optional().describe("At most the role of who makes it, which is also the default"),
  scopes: z
    .array(z.string().max(64))
    .min(1, "Choose what the token may do")
    .max(64)
    .optional()
    .describe("Permissions by name, such as chat.use; without them everything the role may"),
  expiresInDays: z
    .number()
    .int("Use whole days")
    .min(1, "Use at least 1 day")
    .max(TOKEN_DAYS_MAX, `Use at most ${TOKEN_DAYS_MAX} days`)
    .nullish()
    .describe("Without it the token lasts until it is revoked"),
});
export type TokenInput = z.infer<typeof TokenInput>;

/** As in the form: a box must be ticked, since none would mean all. */
export const TokenForm = TokenInput.extend({
  scopes: z
    .array(z.string().max(64), { error: "Choose what the token may do" })
    .min(1, "Choose what the token may do")
    .max(64),
});

/** What a person reads of each scope. */
export const SCOPE_LABELS: Record<string, string> = {
  "screens.read": "Read the screens' data",
  "profile.write": "Change my profile and sessions",
  "preferences.write": "Change my preferences",
  "tokens.manage": "List and revoke my API tokens",
  "audit.own": "Read my own audit entries",
  "documents.search": "Search documents",
  "chat.use": "Chat with models",
  "personas.write": "Edit personas",
  "documents.write": "Ingest documents",
  "workflows.write": "Create, edit and run workflows",
  "providers.manage": "Manage providers and models",
  "keys.manage": "Manage key references",
  "members.manage": "Manage members",
  "settings.manage": "Change the organisation's settings",
  "plugins.manage": "Install and configure plugins",
  "audit.all": "Read the whole audit log",
  "owners.manage": "Make and remove owners",
  "egress.manage": "Change the egress policy",
  "keys.origin": "Change where a key is sent",
  "backup.manage": "Back up and restore",
  "safeguards.disable": "Turn off CSP and the audit log",
};

export const ApiToken = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string().describe("The token's first characters"),
  role: Role,
  scopes: z.array(z.string()),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
});
export type ApiToken = z.infer<typeof ApiToken>;

export const NewApiToken = ApiToken.extend({
  token: z.string().describe("The secret itself; it is shown only now"),
});
export type NewApiToken = z.infer<typeof NewApiToken>;
