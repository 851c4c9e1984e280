import { z } from "zod";
import { idLines, ModelId, RoutingPolicy } from "~/platform/catalogue/models.schema";
import { CALL_FEATURES } from "./call-features";
import { CAPABILITIES } from "./model-options.shared";

/** Pickers offer chat models only; each other kind has an endpoint of the gateway. */
export const MODEL_KINDS = ["chat", "embedding", "rerank", "image", "transcription", "speech"] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

/** Missing fields come from the catalogue. */
export const ListedModel = z.object({
  id: z.string().min(1).max(200),
  kind: z.enum(MODEL_KINDS).optional(),
  name: z.string().max(200).optional(),
  description: z.string().max(2000).optional(),
  maxTokens: z.number().int().positive().optional(),
  cost: z
    .object({
      input: z.number().min(0),
      output: z.number().min(0),
      cacheRead: z.number().min(0).optional().describe("As the input where it is missing"),
      cacheWrite: z.number().min(0).optional(),
    })
    .optional(),
  capabilities: z.array(z.enum(CAPABILITIES)).optional(),
  lacks: z.array(z.enum(CALL_FEATURES)).optional().catch(undefined).describe("What its calls may not have"),
});
export type ListedModel = z.infer<typeof ListedModel>;

export const ModelRouting = z.object({
  policy: RoutingPolicy.optional().describe("The organization's policy by default"),
  fallbacks: z
    .array(z.string().trim().min(1).max(200))
    .max(5, "Enter at most 5 models")
    .default([])
    .describe("Models to try, in this order, when every provider of this one fails"),
  targets: z
    .array(z.object({ providerId: z.string().max(100), model: z.string().trim().min(1).max(200) }))
    .max(20, "Choose at most 20 providers")
    .default([])
    .describe("Providers that offer this model under another id"),
});
export type ModelRouting = z.infer<typeof ModelRouting>;

export const ModelCost = z
  .object({ input: z.number().nullable(), output: z.number().nullable() })
  .describe("US dollars per 1,000 tokens; null where unknown");
export type ModelCost = z.infer<typeof ModelCost>;

export const Model = z.object({
  id: z.string().describe("The provider's own id"),
  name: z.string(),
  provider: z.string().describe("Type of its provider"),
  providerId: z.string().nullable().describe("The provider; null for the built-in model"),
  providerName: z.string().describe("The display name of the provider that serves it"),
  recommended: z.boolean(),
  enhanced: z.boolean().describe("Calls tools, so MCP tools work with it"),
  maxTokens: z.number().int().describe("Context length in tokens; 4096 if unknown"),
  cost: ModelCost,
  capabilities: z.array(z.enum(CAPABILITIES)),
  mcpCapabilities: z.array(z.string()),
  description: z.string().optional(),
  downloads: z.number().int().optional().describe("As reported by the hub of an added model"),
  providers: z.number().int().describe("Number of available providers; 0 for the built-in model"),
  available: z.boolean(),
});
export type Model = z.infer<typeof Model>;

export const blankToUndefined = <T extends z.ZodType>(schema: T) =>
  z.preprocess(
    (value) => (typeof value === "string" && value.trim() === "" ? undefined : value),
    schema.optional(),
  );

const BaseUrl = z
  .string()
  .trim()
  .max(500)
  .transform((value, context) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const refuse = (message: string) => {
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    };
    if (!url || !/^https?:$/.test(url.protocol)) return refuse("Enter an http or https address");
    if (url.username || url.password) return refuse("Remove the user name and password from the address");
    if (url.search || url.hash) return refuse("Remove everything after ? or #");
    return url.origin + url.pathname.replace(/\/+$/, "");
  });

const Milliseconds = z.coerce
  .number()
  .int()
  .min(100, "Enter 100 to 1,800,000 ms")
  .max(1_800_000, "Enter 100 to 1,800,000 ms");

const ModelIds = z.preprocess(idLines, z.array(ModelId).max(500, "Enter at most 500 models").optional());

/** All settings. Every type has them, but for `api` (`ProviderTypeInfo.hasApiChoice`). */
export const ProviderConfig = z.strictObject({
  baseUrl: blankToUndefined(BaseUrl).describe("API address; the type's default if omitted"),
  keyId: blankToUndefined(z.string().max(100)).describe("Key reference; by default the first of its kind"),
  models: ModelIds.describe("Additional model ids"),
  api: blankToUndefined(z.enum(["responses", "chat"])).describe("OpenAI's API to use"),
  maxConcurrent: blankToUndefined(z.coerce.number().int().min(1).max(10_000)).describe(
    "Max concurrent calls; further ones are queued. Unlimited by default",
  ),
  requestsPerMinute: blankToUndefined(z.coerce.number().int().min(1).max(1_000_000)).describe(
    "Max calls in any 60 seconds; further ones are queued. Unlimited by default",
  ),
  firstByteTimeout: blankToUndefined(Milliseconds).describe(
    "Longest wait for the first byte of an answer, in ms; `ai.timeout` by default, ten times that on a local address",
  ),
  silenceTimeout: blankToUndefined(Milliseconds).describe(
    "Longest silence within an answer, in ms; `ai.timeout` by default",
  ),
});
export type ProviderConfig = z.infer<typeof ProviderConfig>;
export type ProviderConfigField = keyof ProviderConfig;

const REQUIRED = "Provider type and display name are required";

export const ProviderInput = z.strictObject({
  provider: z.string({ error: REQUIRED }).trim().min(1, REQUIRED).max(50).describe("Type of the provider"),
  displayName: z.string({ error: REQUIRED }).trim().min(1, REQUIRED).max(100),
  enabled: z.boolean().default(true),
  config: ProviderConfig.default({}),
});
export type ProviderInput = z.infer<typeof ProviderInput>;

/** Null resets a setting. */
export const ProviderPatch = z.strictObject({
  enabled: z.boolean().optional(),
  displayName: z.string().trim().min(1, REQUIRED).max(100).optional(),
  config: z.partialRecord(ProviderConfig.keyof(), z.unknown()).optional(),
});
export type ProviderPatch = z.infer<typeof ProviderPatch>;

export const ProviderSwitch = z.object({
  enabled: z.enum(["true", "false"]).transform((enabled) => enabled === "true"),
});

/** Empty settings are reset. */
export const ProviderForm = z
  .object({
    displayName: z.string({ error: REQUIRED }).trim().min(1, REQUIRED).max(100),
    config: ProviderConfig.default({}),
    provider: z.string().max(60).optional().describe("Kept for adding it again if it is deleted meanwhile"),
  })
  .transform(({ displayName, config }): ProviderPatch => {
    const names = ProviderConfig.keyof().options;
    return { displayName, config: Object.fromEntries(names.map((name) => [name, config[name] ?? null])) };
  });

export const Provider = z.object({
  id: z.string(),
  provider: z.string().describe("Type of the provider"),
  displayName: z.string(),
  enabled: z.boolean(),
  config: z.record(z.string(), z.unknown()),
  models: z.array(z.string()).describe("Model ids of its last list"),
  priority: z.number().int().describe("Lower ones are tried first with the policy priority"),
  modelsAt: z.iso.datetime().nullable().describe("When its models were last listed"),
  problem: z.string().optional().describe("Why its models couldn't be listed when it was saved"),
  createdAt: z.iso.datetime(),
});
export type Provider = z.infer<typeof Provider>;

export const ProviderTest = z.object({
  ok: z.boolean(),
  message: z.string().describe("The result as a message"),
  latencyMs: z.number().int(),
  models: z.number().int().nullable().describe("Number of listed models; null without a list"),
});
export type ProviderTest = z.infer<typeof ProviderTest>;

export interface ProviderTypeInfo {
  value: string;
  label: string;
  description: string;
  defaultBaseUrl: string | null;
  /** Whether it has the setting `api`; all types have the others. */
  hasApiChoice?: boolean;
  /** Abilities of its best models; a single model may lack one. */
  abilities: readonly ("Vision" | "Tools" | "Reasoning" | "Embeddings" | "Reranking" | "Images" | "Audio")[];
  listing: string;
}

/** A type in the form that adds a provider. */
export interface ProviderChoice extends ProviderTypeInfo {
  needsKey: boolean;
  /** The variable of its key, and the one host it is sent to. */
  key: { alias: string; present: boolean; host: string } | null;
}

const PROVIDER_STATUSES = ["online", "warning", "offline", "unknown"] as const;

/** Display texts with their figures. Times in ms. */
export const ProviderStatus = z.object({
  id: z.string(),
  name: z.string(),
  provider: z.string().describe("Type of the provider"),
  models: z.string().describe("Number of its models, as text"),
  status: z.enum(PROVIDER_STATUSES).describe("unknown: neither called nor checked yet"),
  latency: z.string().describe("Time to first token as measured last; a dash before the first call"),
  usage: z.string().describe("Calls and cost since midnight (UTC); a dash without calls"),
  enabled: z.boolean(),
  latencyMs: z.number().nullable().describe("Mean time to the first token"),
  probeMs: z.number().nullable().describe("How long the last probe took"),
  calls: z.number().int().describe("Attempts of the last 15 minutes"),
  errorRate: z.number().nullable().describe("Failed share of these, 0 to 1; null without any"),
  lastFailure: z.object({ at: z.iso.datetime(), message: z.string() }).nullable(),
  reason: z.string().nullable().describe("Why it isn't online; null while it is"),
  active: z.number().int().describe("Calls in progress"),
  waiting: z.number().int().describe("Queued calls"),
  pausedUntil: z.iso.datetime().nullable().describe("End of the pause after failures"),
});
export type ProviderStatus = z.infer<typeof ProviderStatus>;
