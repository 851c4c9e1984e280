import { z } from "zod";
import { ROLES } from "~/core/actor";
import { idLines, ModelId } from "~/platform/catalogue/models.schema";
import { type Permission, permissions } from "~/platform/catalogue/permissions";
import { Role } from "~/platform/rights/roles.schema";
import { Phrases } from "~/platform/settings/groups/guardrails.schema";
import { TOKEN_DAYS_MAX, TOKEN_MODELS_MAX, TOKEN_PRESETS, TOKEN_RATE_MAX } from "./members.shared";

const TOKEN_NAME_MAX = 80;

/** What a token's calls are checked for beyond the organization's guardrails, which it can't loosen. */
const TokenGuardrails = z.object({
  maskPii: z.boolean().default(false).describe("Mask personal data in requests"),
  blocked: Phrases.default("").describe("Blocked words and phrases, one a line"),
  moderate: z.boolean().default(false).describe("Have requests and answers judged by the moderator"),
});

export const TokenInput = z.object({
  name: z
    .string({ error: "Enter a name" })
    .trim()
    .min(1, "Enter a name")
    .max(TOKEN_NAME_MAX, `Use at most ${TOKEN_NAME_MAX} characters`),
  role: Role.optional().describe("At most your own role, which is the default"),
  scopes: z
    .array(z.string().max(64))
    .min(1, "Select at least one permission")
    .max(64)
    .optional()
    .describe("Permissions by name, such as chat.use; by default all permissions of the role"),
  expiresInDays: z
    .number()
    .int("Use whole days")
    .min(1, "Use at least 1 day")
    .max(TOKEN_DAYS_MAX, `Use at most ${TOKEN_DAYS_MAX} days`)
    .nullish()
    .describe("By default the token is valid until revoked"),
  models: z
    .preprocess(
      idLines,
      z
        .array(ModelId)
        .min(1, "Add at least one model ID, or leave models out to allow all")
        .max(TOKEN_MODELS_MAX, `Enter at most ${TOKEN_MODELS_MAX} models`)
        .nullish(),
    )
    .describe("IDs of the models it can call through the gateway; all by default"),
  requestsPerMinute: z
    .number()
    .int("Use a whole number")
    .min(1, "Use at least 1")
    .max(TOKEN_RATE_MAX, `Use at most ${TOKEN_RATE_MAX.toLocaleString("en-US")}`)
    .nullish()
    .describe("Gateway calls per minute and concurrent calls; unlimited by default"),
  guardrails: TokenGuardrails.nullish().describe(
    "Guardrails of its own, in addition to the organization's; none by default",
  ),
});
export type TokenInput = z.infer<typeof TokenInput>;

/** A blank field means no restriction. */
const FormModels = z.preprocess(
  (value) => (typeof value === "string" && value.trim() === "" ? undefined : value),
  TokenInput.shape.models,
);

/** The lowest role that has all permissions; unknown ones, which are refused later, count as the highest. */
function leastRole(scopes: readonly string[]): Role {
  const lowest = scopes.map((scope) =>
    scope in permissions ? permissions[scope as Permission].minRole : ("owner" as const),
  );
  return ROLES[Math.max(...lowest.map((role) => ROLES.indexOf(role)))] ?? "owner";
}

/** A preset brings its permissions; else a box must be ticked, since none would mean all. */
export const TokenForm = TokenInput.extend({
  models: FormModels,
  guardrails: z
    .object({
      maskPii: z.coerce.boolean().default(false),
      blocked: Phrases.default(""),
      moderate: z.coerce.boolean().default(false),
    })
    .optional(),
  preset: z.enum(["gateway", "read", "custom"]).default("custom"),
  scopes: z.array(z.string().max(64)).max(64).default([]),
}).transform(({ preset, scopes: ticked, ...rest }, context): TokenInput => {
  const scopes = preset === "custom" ? ticked : [...TOKEN_PRESETS[preset].scopes];
  if (scopes.length === 0) {
    context.addIssue({ code: "custom", path: ["scopes"], message: "Select at least one permission" });
    return z.NEVER;
  }
  return { ...rest, scopes, role: rest.role ?? leastRole(scopes) };
});

export const ApiToken = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string().describe("The token's first characters"),
  role: Role,
  scopes: z.array(z.string()),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
  models: z.array(z.string()).nullable().describe("Models it can call through the gateway; null for all"),
  requestsPerMinute: z.number().int().nullable().describe("Its own limit on calls through the gateway"),
  guardrails: TokenGuardrails.nullable().describe("Its own guardrails, in addition to the organization's"),
});
export type ApiToken = z.infer<typeof ApiToken>;

export const NewApiToken = ApiToken.extend({
  token: z.string().describe("The secret, returned only once"),
});
export type NewApiToken = z.infer<typeof NewApiToken>;

export interface TokenScope {
  name: string;
  label: string;
}
