import type { ProviderTypeInfo } from "../models.schema";
import { anthropic } from "./anthropic.provider.server";
import { custom } from "./custom.provider.server";
import { google } from "./google.provider.server";
import { huggingface } from "./huggingface.provider.server";
import { localOllama } from "./local-ollama.provider.server";
import { openai } from "./openai.provider.server";
import { openrouter } from "./openrouter.provider.server";
import type { ProviderType } from "./provider-type";

const providerTypes = [
  openai,
  anthropic,
  google,
  huggingface,
  openrouter,
  localOllama,
  custom,
] as const satisfies readonly ProviderType[];

export function findProviderType(value: string): ProviderType | undefined {
  return providerTypes.find((type) => type.value === value);
}

export function describeProviderTypes(): ProviderTypeInfo[] {
  return (providerTypes as readonly ProviderType[]).map((type) => ({
    value: type.value,
    label: type.label,
    description: type.description,
    keyKind: type.keyKind,
    defaultBaseUrl: type.defaultBaseUrl,
    fields: type.fields,
    abilities: type.abilities,
    listing: type.listing,
    local: type.local ?? false,
  }));
}
