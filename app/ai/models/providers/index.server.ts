import type { ProviderTypeInfo } from "../models.schema";
import { anthropic } from "./anthropic.provider.server";
import { custom } from "./custom.provider.server";
import { google } from "./google.provider.server";
import { huggingface } from "./huggingface.provider.server";
import { localOllama } from "./local-ollama.provider.server";
import { openai } from "./openai.provider.server";
import { openrouter } from "./openrouter.provider.server";
import type { ProviderType } from "./provider-type.server";

const providerTypes: readonly ProviderType[] = [
  openai,
  anthropic,
  google,
  huggingface,
  openrouter,
  localOllama,
  custom,
];

export function findProviderType(value: string): ProviderType | undefined {
  return providerTypes.find((type) => type.value === value);
}

export function listProviderTypes(): ProviderTypeInfo[] {
  return providerTypes.map(
    ({ value, label, description, defaultBaseUrl, hasApiChoice, abilities, listing }) => ({
      value,
      label,
      description,
      defaultBaseUrl,
      hasApiChoice,
      abilities,
      listing,
    }),
  );
}
