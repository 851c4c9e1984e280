import type { KeyProvider } from "~/team/keys/keys.shared";
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

/** An ability of a provider type's best models; a single model may lack it. */
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
  /** Runs on the user's own hardware, so calls cost nothing. */
  local?: boolean;
  /** Sentence on how its models are discovered. */
  listing: string;
  /** Path of each protocol that it serves. */
  wire: Partial<Record<WireProtocol, string>>;
  normalizeBaseUrl?(baseUrl: string): string;
  /**
   * Headers with the key, and others that the protocol requires.
   *
   * @param address the URL of the call, where it decides the headers
   */
  headers(apiKey: string | undefined, address?: string): Record<string, string>;
  /** Lists the provider's models in its own order. */
  listModels(call: ProviderCall): Promise<ListedModel[]>;
  /** A free request that shows availability; defaults to `listModels`. */
  probe?(call: ProviderCall): Promise<void>;
  makeModel(call: ProviderCall, modelId: string): Promise<ChatModel>;
}
