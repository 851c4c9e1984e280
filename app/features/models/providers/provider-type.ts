import type { KeyProvider } from "~/features/keys/key-providers.shared";
import type { ChatModel } from "../language-model";
import type { ListedModel, ProviderConfig, ProviderConfigField } from "../models.schema";

export interface ProviderCall {
  baseUrl: string;
  apiKey: string | undefined;
  fetch: typeof globalThis.fetch;
  config: ProviderConfig;
}

/** Protocols of the gateway; a provider of the caller's protocol gets the bytes untranslated. */
type WireProtocol = "openai-chat" | "openai-responses" | "openai-embeddings" | "anthropic-messages";

/** What models of a provider type can do at their best; a single model may do less. */
type ProviderAbility = "vision" | "tools" | "reasoning" | "embeddings";

export interface ProviderType {
  value: string;
  label: string;
  description: string;
  keyKind: KeyProvider;
  keyRequired: boolean;
  defaultBaseUrl: string | null;
  /** Supported settings in the form's order; others are refused. */
  fields: readonly ProviderConfigField[];
  /** Its price list in `@pydantic/genai-prices`; null to look it up by the address. */
  pricing: string | null;
  abilities: readonly ProviderAbility[];
  /** Own hardware: its calls cost nothing. */
  local?: boolean;
  listing: string;
  wire: Partial<Record<WireProtocol, string>>;
  tidyBaseUrl?(baseUrl: string): string;
  /**
   * The headers that carry the key, and those its protocol asks for.
   *
   * @param address what is asked, where that makes a difference
   */
  headers(apiKey: string | undefined, address?: string): Record<string, string>;
  /** What it serves, in its own order. */
  listModels(call: ProviderCall): Promise<ListedModel[]>;
  /** A free request that shows availability; defaults to `listModels`. */
  probe?(call: ProviderCall): Promise<void>;
  makeModel(call: ProviderCall, modelId: string): ChatModel;
}
