import type { KeyProvider } from "~/features/keys/key-providers.shared";
import type { ChatModel } from "../language-model";
import type { ListedModel, ProviderConfig, ProviderConfigField } from "../models.schema";

export interface ProviderCall {
  baseUrl: string;
  /** Read from the environment for this call; empty where the provider needs none. */
  apiKey: string | undefined;
  fetch: typeof globalThis.fetch;
  config: ProviderConfig;
}

/** Protocols that the gateway's callers speak; where a provider speaks one too, bytes pass through untranslated. */
type WireProtocol = "openai-chat" | "openai-responses" | "openai-embeddings" | "anthropic-messages";

/** What models of a provider type can do at their best; a single model may do less. */
type ProviderAbility = "vision" | "tools" | "reasoning" | "embeddings";

/** A kind of provider: one file here and one line in index.server.ts. */
export interface ProviderType {
  value: string;
  label: string;
  description: string;
  /** The kind of key reference it uses. */
  keyKind: KeyProvider;
  /** Whether it can't be called without a key. */
  keyRequired: boolean;
  /** Null where the address must be given. */
  defaultBaseUrl: string | null;
  /** The settings it knows, in the order the form shows them; any other is refused. */
  fields: readonly ProviderConfigField[];
  /** Its price list in `@pydantic/genai-prices`; null to look it up by the address. */
  pricing: string | null;
  abilities: readonly ProviderAbility[];
  /** Runs on hardware of the user's own: its calls cost nothing. */
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
  /** A request that costs nothing and shows that it answers; without one the list is asked for. */
  probe?(call: ProviderCall): Promise<void>;
  makeModel(call: ProviderCall, modelId: string): ChatModel;
}
