export interface KeyUse {
  keyId: string;
  kind: string;
  name: string;
  to: string;
}

export const describeUses = (uses: readonly KeyUse[]) =>
  uses.map(({ kind, name }) => `${kind} ${name}`).join(", ");

/** A key in a list of choices, with the origins that it is bound to. */
export const keyLabel = (key: { alias: string; origins: readonly string[]; present?: boolean }) =>
  [
    key.alias,
    ...(key.origins.length > 0 ? [`(${key.origins.join(", ")})`] : []),
    ...(key.present === false ? ["(not set)"] : []),
  ].join(" ");

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
  "source",
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
  source: "Document source",
  other: "Other",
};

interface WellKnownKey {
  kind: KeyProvider;
  /** Allowed origins; empty for self-hosted services, whose origin is given when added. */
  origins: readonly string[];
}

const HUGGINGFACE = ["https://router.huggingface.co", "https://huggingface.co"] as const;

/** Always allowed, each bound to its provider's origins. */
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

/** Begins the choice of a variable that no reference names yet, which is made with what uses it. */
export const VARIABLE_CHOICE = "env:";

/** Where an operator sets a key's variable (`keyPlace` of core/env.server). */
export type KeyPlace = "file" | "compose" | "environment";

/** What comes after the line with the variable. */
export const KEY_STEPS: Readonly<Record<KeyPlace, string>> = {
  file: "Add it to .env with your key. No restart is needed.",
  compose: "Add it to .env beside compose.yaml with your key, then run docker compose up -d.",
  environment: "Set it with your key in the environment that the console is started with, then restart it.",
};
