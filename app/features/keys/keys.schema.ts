import { z } from "zod";

/** What a key may be for: the specification's five kinds, and those that the rest of the console needs. */
export const KEY_PROVIDERS = [
  "openai",
  "anthropic",
  "gemini",
  "openrouter",
  "huggingface",
  "custom",
  "litellm",
  "qdrant",
  "database",
  "other",
] as const;
export type KeyProvider = (typeof KEY_PROVIDERS)[number];

export const KEY_PROVIDER_LABELS: Record<KeyProvider, string> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  gemini: "Google Gemini",
  openrouter: "OpenRouter",
  huggingface: "Hugging Face",
  custom: "Custom (OpenAI-compatible)",
  litellm: "LiteLLM",
  qdrant: "Qdrant",
  database: "Database (PostgreSQL)",
  other: "Other",
};

interface WellKnownKey {
  kind: KeyProvider;
  /** Where its value may be sent; empty where the service is self-hosted and the origin is given when added. */
  origins: readonly string[];
}

const HUGGINGFACE = ["https://router.huggingface.co", "https://huggingface.co"] as const;

/** Names that may always be referenced, each bound to its provider's own origins. */
export const WELL_KNOWN_KEYS: Readonly<Record<string, WellKnownKey>> = {
  OPENAI_API_KEY: { kind: "openai", origins: ["https://api.openai.com"] },
  ANTHROPIC_API_KEY: { kind: "anthropic", origins: ["https://api.anthropic.com"] },
  GEMINI_API_KEY: { kind: "gemini", origins: ["https://generativelanguage.googleapis.com"] },
  OPENROUTER_API_KEY: { kind: "openrouter", origins: ["https://openrouter.ai"] },
  HUGGINGFACE_API_KEY: { kind: "huggingface", origins: HUGGINGFACE },
  HF_TOKEN: { kind: "huggingface", origins: HUGGINGFACE },
  LITELLM_API_KEY: { kind: "litellm", origins: [] },
  QDRANT_API_KEY: { kind: "qdrant", origins: [] },
};

/** Where a key may be sent, as a person gives it: reduced to scheme, host and port. */
const Origin = z
  .string()
  .trim()
  .max(500)
  .transform((value, context) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
      context.addIssue({
        code: "custom",
        message: "Give an http or https address, such as https://example.com",
      });
      return z.NEVER;
    }
    return url.origin;
  });

const optionalText = <T extends z.ZodType>(schema: T) =>
  z.preprocess(
    (value) => (typeof value === "string" && value.trim() === "" ? undefined : value),
    schema.optional(),
  );

export const KeyInput = z.strictObject({
  provider: z.enum(KEY_PROVIDERS).default("openai").describe("What the key is for"),
  alias: z
    .string({ error: "Give the name of an environment variable" })
    .trim()
    .min(1, "Give the name of an environment variable")
    .max(4096, "Give the name of an environment variable")
    .describe("Name of the environment variable that holds the key; never the key itself"),
  origin: optionalText(Origin).describe("The one address the key may be sent to"),
});
export type KeyInput = z.infer<typeof KeyInput>;

export const KeyOriginInput = z.strictObject({ origin: Origin });
export type KeyOriginInput = z.infer<typeof KeyOriginInput>;

/** A key reference as the API and the screen read it. There is no field for a value. */
export const KeyReference = z.object({
  id: z.string(),
  provider: z.enum(KEY_PROVIDERS),
  alias: z.string().describe("Name of the environment variable"),
  origins: z.array(z.string()).describe("The addresses the key may be sent to; no others"),
  present: z.boolean().describe("Whether the variable is set now"),
  createdAt: z.iso.datetime(),
});
export type KeyReference = z.infer<typeof KeyReference>;
